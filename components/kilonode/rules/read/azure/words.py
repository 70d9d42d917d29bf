"""Words of Azure as its reference spells them.

It takes sizes in any case (Azure/azure-cli#9238, dask/dask-cloudprovider#270), and other words too or refuses them
(Azure/azure-sdk-for-node#1658): in either case one that is spelt otherwise means nothing else.
"""

from kilonode.cloudspec.azure_sizes import SIZES
from kilonode.rules.read.resource import Resource
from kilonode.rules.unknown import Fact

_WORDS = {
    each.lower(): each
    for each in (
        *SIZES,
        *("Spot", "Low", "Regular"),
        *("Flexible", "Uniform"),
        *("Automatic", "Manual", "Rolling"),
        *("PremiumV2_LRS", "Premium_LRS", "Premium_ZRS", "UltraSSD_LRS"),
        *("Windows", "Linux"),
        *("IPv4", "IPv6"),
    )
}


def spelt(found: Fact[str | None]) -> Fact[str | None]:
    """The word as rules know it; one that they do not know, as it is."""
    if not isinstance(found, str):
        return found
    known = _WORDS.get(found.lower(), found)
    return found if known == found else type(found)(known)


def word(resource: Resource, path: str) -> Fact[str | None]:
    """The word at a path."""
    return spelt(resource.text(path))
