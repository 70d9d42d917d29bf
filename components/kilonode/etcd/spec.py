"""An etcd cluster as a person writes it; a region has several, rows of one list."""

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema, model_validator

from kilonode.limits import ETCD_MEMBERS, ETCD_QUOTA_DEFAULT, ETCD_QUOTA_SUGGESTED_MAX
from kilonode.refusal import refuse
from kilonode.spec import Spec

GIB = 1024**3
INT64_MAX = 2**63 - 1
_UNITS = {"MiB": 1024**2, "GiB": GIB}
_QUANTITY = re.compile(r"([1-9][0-9]*)(MiB|GiB)")


def quota_bytes(value: object) -> int:
    """The quota in bytes; a spec's validator and the rule ``etcd-quota`` are this one function."""
    allowed = f"more than 2GiB, as text such as '8GiB' or '12288MiB', or as whole bytes such as {8 * GIB}"
    if isinstance(value, str) and (match := _QUANTITY.fullmatch(value)):
        value = int(match[1]) * _UNITS[match[2]]
    if isinstance(value, bool) or not isinstance(value, int):
        raise refuse(
            allowed=allowed,
            fix="write '8GiB'",
            why="units that could mean 10^9 or 2^30 are not guessed, and etcd itself reads plain bytes only",
        )
    if value <= ETCD_QUOTA_DEFAULT.value:
        raise refuse(
            allowed=allowed,
            fix="write '8GiB'",
            why="0 means etcd's default of 2 GiB and a negative number no quota at all; "
            "the 2 GiB default was hit in a cluster of 1,000 nodes and stopped it (2018 post)",
        )
    if value > INT64_MAX:
        raise refuse(allowed=f"at most {INT64_MAX}", fix="write '8GiB'", why="etcd reads it as a signed 64-bit number")
    return value


Quota = Annotated[
    int,
    BeforeValidator(quota_bytes),
    PlainSerializer(lambda value: value, return_type=int),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "exclusiveMinimum": 2 * GIB},
                {"type": "string", "pattern": "^[1-9][0-9]*(MiB|GiB)$"},
            ]
        }
    ),
]


def member_count(value: object) -> object:
    """The count itself, where it is one a cluster should have; the rule ``etcd-members-odd`` asks here too."""
    if isinstance(value, bool) or not isinstance(value, int) or value % 2 == 0 or not 1 <= value <= ETCD_MEMBERS.value:
        raise refuse(
            allowed=f"an odd whole number from 1 to {ETCD_MEMBERS.value}; 5 for a big cluster",
            why="an even count tolerates no more failures than one less, and more than seven slow every write",
            fix="use 5, or 3 for a small region",
        )
    return value


Members = Annotated[
    int,
    BeforeValidator(member_count),
    WithJsonSchema({"type": "integer", "enum": list(range(1, ETCD_MEMBERS.value + 1, 2))}),
]


class EtcdClusterSpec(Spec):
    """One etcd cluster: the members that hold one set of keys."""

    name: Literal["main", "events", "leases"]
    """Which keys it holds; ``main`` holds all that no other row takes."""

    members: Members = 5
    """Five, each on its own machine (2021 post)."""

    born_with: Members | None = None
    """Members of the first bootstrap; needed only when ``members`` has changed since."""

    quota: Quota = ETCD_QUOTA_SUGGESTED_MAX.value
    """Bytes of the backend, the same for every member; 8 GiB is etcd's suggested maximum."""

    @model_validator(mode="after")
    def _born(self) -> "EtcdClusterSpec":
        if self.born_with is not None and self.born_with > self.members:
            raise refuse(
                field="bornWith",
                given=self.born_with,
                allowed=f"at most members ({self.members})",
                why="members of the first bootstrap are removed one by one with etcdctl, then from this list",
                fix="set bornWith to the count the region was first made with, or leave it out",
            )
        return self

    @property
    def first_members(self) -> int:
        """How many members the first bootstrap had."""
        return self.members if self.born_with is None else self.born_with

    def warnings(self) -> list[str]:
        """What is allowed but unwise, a sentence each."""
        found = []
        if self.quota > ETCD_QUOTA_SUGGESTED_MAX.value:
            found.append(
                f"etcd cluster {self.name}: quota {self.quota} is above {ETCD_QUOTA_SUGGESTED_MAX.value} bytes "
                f"({ETCD_QUOTA_SUGGESTED_MAX.source}): a new member takes long to catch up"
            )
        if self.members == 1:
            found.append(f"etcd cluster {self.name}: one member: its machine's disk is the only copy of the keys")
        return found
