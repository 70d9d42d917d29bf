"""Azure's locations with availability zones; a region's machines are spread over zones, so there are no others here."""

import difflib
from typing import Annotated, Literal

from pydantic import AfterValidator

from kilonode.explain import Allowed
from kilonode.refusal import refuse

Zone = Literal["1", "2", "3"]
ZONES: tuple[Zone, ...] = ("1", "2", "3")
"""Every location with zones has three (https://learn.microsoft.com/azure/reliability/availability-zones-overview)."""

SOURCE = "https://learn.microsoft.com/azure/reliability/availability-zones-region-support"
LOCATIONS = (
    "australiaeast",
    "brazilsouth",
    "canadacentral",
    "centralindia",
    "centralus",
    "eastasia",
    "eastus",
    "eastus2",
    "francecentral",
    "germanywestcentral",
    "israelcentral",
    "italynorth",
    "japaneast",
    "japanwest",
    "koreacentral",
    "mexicocentral",
    "newzealandnorth",
    "northeurope",
    "norwayeast",
    "polandcentral",
    "qatarcentral",
    "southafricanorth",
    "southcentralus",
    "southeastasia",
    "spaincentral",
    "swedencentral",
    "switzerlandnorth",
    "uaenorth",
    "uksouth",
    "westeurope",
    "westus2",
    "westus3",
)
"""Of the public cloud; the names are those of the API."""

_ALLOWED = f"one of the {len(LOCATIONS)} locations with availability zones ({SOURCE})"


def _location(value: str) -> str:
    if value not in LOCATIONS:
        near = difflib.get_close_matches(value.lower().replace(" ", ""), LOCATIONS, n=1)
        raise refuse(
            allowed=_ALLOWED,
            why="members of one etcd cluster are spread over zones, so that losing one costs no quorum",
            fix=f"did you mean {near[0]!r}?" if near else "use a location of the list, for instance 'westeurope'",
        )
    return value


Location = Annotated[str, AfterValidator(_location), Allowed(_ALLOWED)]
