"""What is decided when a region is made and cannot be edited afterwards, with the reason for each."""

from collections.abc import Mapping
from typing import Any

from kilonode.refusal import Refusal
from kilonode.region.spec import RegionSpec

_REASONS = {
    "cloud": (
        "every machine and every key is there, and nothing moves from one cloud to another",
        "make a second region on the other cloud and move over",
    ),
    "location": (
        "every machine, disk and address lies there",
        "make a second region in the new location and move over",
    ),
    "zones": (
        "machines are dealt to the zones in turn, and the address of each follows from its zone",
        "keep the zones in their order",
    ),
    "image": (
        "pools are split into scale sets by how many machines of such an image one may have, so sets would go with their nodes",
        "give another image of the same form",
    ),
    "name": (
        "machines, certificates and etcd members are named by it",
        "make a second region under the new name and move over",
    ),
    "range": (
        "every address, certificate and peer list follows from it",
        "make a second region with the new range and move over",
    ),
    "services": ("ClusterIPs already handed out and the API's certificate lie in it", "keep the range"),
    "domain": ("issued service-account tokens and certificates name it", "keep the domain"),
    "ceiling": (
        "every control-plane machine's boot data is sized by it, so all of them would be replaced",
        "keep the ceiling and grow pools under it, or make a second region",
    ),
}

_FIELDS = {
    "cloud": "cloud.kind",
    "location": "cloud.location",
    "zones": "cloud.zones",
    "image": "cloud.image",
    "range": "network.range",
    "services": "network.services",
    "domain": "network.domain",
}


def birth_facts(spec: RegionSpec) -> dict[str, Any]:
    """The facts a living region is held to, as plain values."""
    return {
        "name": spec.name,
        "ceiling": spec.ceiling,
        "range": str(spec.network.range),
        "services": str(spec.network.services),
        "domain": spec.network.domain,
        "etcd": {cluster.name: cluster.first_members for cluster in spec.etcd},
        **spec.cloud.birth,
    }


def refusals(born: Mapping[str, Any], now: Mapping[str, Any]) -> list[Refusal]:
    """Why ``now`` is no edit of the region ``born``; empty when it is."""
    found = [
        Refusal(_FIELDS.get(key, key), str(now[key]), str(born[key]), why, fix)
        for key, (why, fix) in _REASONS.items()
        # An older record lacks a fact, and so does one of another cloud.
        if key in born and key in now and born[key] != now[key]
    ]
    had, has = born.get("etcd", {}), now["etcd"]
    found += [
        Refusal(
            "etcd",
            f"a new row {name!r}",
            "the rows the region was made with: " + ", ".join(sorted(had)),
            f"the keys of {name!r} already lie in 'main'; the API servers would no longer find them there",
            "take the row out again; a region that needs it is made with it",
        )
        for name in sorted(set(has) - set(had))
    ]
    found += [
        Refusal(
            "etcd",
            f"no row {name!r}",
            "the rows the region was made with: " + ", ".join(sorted(had)),
            f"the keys that lie in {name!r} would be lost",
            f"put the row {{name: {name}}} back",
        )
        for name in sorted(set(had) - set(has))
    ]
    found += [
        Refusal(
            f"etcd {name}: members of the first bootstrap",
            str(has[name]),
            str(had[name]),
            "the list a member boots with is the first bootstrap's for ever; members that come later join the living cluster",
            f"set bornWith: {had[name]} beside the new members",
        )
        for name in sorted(set(had) & set(has))
        if had[name] != has[name]
    ]
    return found
