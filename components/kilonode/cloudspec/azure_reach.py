"""Who may reach a region on Azure from outside of it, as a person writes it."""

from collections.abc import Sequence
from ipaddress import IPv4Network
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from kilonode.explain import Allowed
from kilonode.limits import AZURE_NSG_RANGES
from kilonode.network.spec import RANGE_ALLOWED, RANGE_SCHEMA, read_range
from kilonode.refusal import refuse

SOURCES_MAX = AZURE_NSG_RANGES.value // 4
"""Of one list: the security group of etcd names the operators' twice, those of ssh once, and the region's own."""

OVERLAPS = "OverlappingSubnetsNotPermittedInSecurityRule"


def _source(value: object) -> IPv4Network:
    return read_range(
        value,
        public="machines have no public address, so nobody comes in from a public one",
        fix="write the private range of the network you come from, or remove it",
    )


def check_sources(field: str, ranges: Sequence[IPv4Network]) -> None:
    """Refuse what one rule of a security group would not take.

    Raises:
        PydanticCustomError: with the first fault found.
    """
    if len(ranges) > SOURCES_MAX:
        raise refuse(
            field=field,
            given=f"{len(ranges)} ranges",
            allowed=f"at most {SOURCES_MAX}",
            why=f"a security group has a limit of {AZURE_NSG_RANGES.value} in all its rules ({AZURE_NSG_RANGES.source})",
            fix="write fewer, larger ranges",
        )
    for index, each in enumerate(ranges):
        for earlier, other in enumerate(ranges[:index]):
            if each.overlaps(other):
                raise refuse(
                    field=f"{field}[{index}]",
                    given=each,
                    allowed=f"a range that does not overlap {field}[{earlier}] {other}",
                    why=f"Azure refuses a rule whose ranges overlap ({OVERLAPS})",
                    fix="remove the smaller of the two",
                )


Source = Annotated[
    IPv4Network,
    BeforeValidator(_source),
    PlainSerializer(str, return_type=str),
    WithJsonSchema(RANGE_SCHEMA),
    Allowed(RANGE_ALLOWED),
]
