"""The addresses a region may use, as a person writes them."""

import re
from ipaddress import IPv4Network
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema, model_validator

from kilonode.explain import Allowed
from kilonode.limits import HOSTNAME, SERVICE_RANGE_BITS
from kilonode.network.slots import FIXED_PREFIX
from kilonode.refusal import refuse
from kilonode.spec import Spec

PRIVATE = tuple(IPv4Network(block) for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"))
_DOMAIN_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_DOMAIN = re.compile(rf"{_DOMAIN_LABEL}(\.{_DOMAIN_LABEL})*")
DOMAIN_MAX = 200
SERVICE_BITS_MIN = 4  # a /28: the API's own Service, cluster DNS and a few more
RANGE_ALLOWED = "an IPv4 range in CIDR form inside " + ", ".join(map(str, PRIVATE))


def read_range(
    value: object,
    *,
    public: str = "public addresses would be cut off from their owners",
    fix: str = "for instance 10.64.0.0/14",
) -> IPv4Network:
    """The private range a person wrote; ``public`` is why it may be no other, ``fix`` what to write instead.

    Raises:
        PydanticCustomError: when it is none.
    """
    if isinstance(value, IPv4Network):
        network = value
    elif not isinstance(value, str) or "/" not in value:
        raise refuse(allowed=RANGE_ALLOWED, why="a range is text with an address and a prefix length", fix=fix)
    else:
        try:
            network = IPv4Network(value, strict=False)
        except ValueError as error:
            raise refuse(allowed=RANGE_ALLOWED, why=str(error), fix=fix) from None
    if not any(network.subnet_of(block) for block in PRIVATE):
        raise refuse(allowed=RANGE_ALLOWED, why=public, fix=fix)
    if isinstance(value, str) and str(network) != value:
        why = "it has bits set behind its prefix length, or the length is not a plain number"
        raise refuse(allowed=RANGE_ALLOWED, why=why, fix=f"write {network}")
    return network


RANGE_SCHEMA = {"type": "string", "pattern": r"^\d+\.\d+\.\d+\.\d+/\d+$"}
Range = Annotated[
    IPv4Network,
    BeforeValidator(read_range),
    PlainSerializer(str, return_type=str),
    WithJsonSchema(RANGE_SCHEMA),
    Allowed(RANGE_ALLOWED),
]


class NetworkSpec(Spec):
    """The region's own range and the virtual range of its Services."""

    range: Range
    """Every machine, node and pod of the region has an address in here; the first /22 is for fixed machines."""

    services: Range = IPv4Network("172.20.0.0/16")
    """ClusterIPs; virtual, never routed."""

    domain: str = "cluster.local"
    """The DNS domain of Services."""

    @model_validator(mode="after")
    def _fits(self) -> "NetworkSpec":
        if self.range.prefixlen > FIXED_PREFIX:
            raise refuse(
                field="range",
                given=self.range,
                allowed=f"a /{FIXED_PREFIX} or larger",
                why=f"the fixed machines alone take its first /{FIXED_PREFIX}",
                fix=f"use a /{FIXED_PREFIX - 2} or larger, so that node pools fit too",
            )
        if self.services.overlaps(self.range):
            raise refuse(
                field="services",
                given=self.services,
                allowed=f"a range that does not overlap network.range {self.range}",
                why="an address would be both a Service and a machine",
                fix="use another private range, for instance 172.20.0.0/16",
            )
        bits = self.services.max_prefixlen - self.services.prefixlen
        if not SERVICE_BITS_MIN <= bits <= SERVICE_RANGE_BITS.value:
            raise refuse(
                field="services",
                given=self.services,
                allowed=f"a /12 to a /28 ({SERVICE_RANGE_BITS.source})",
                why="kube-apiserver would not start with it",
                fix="use a /16",
            )
        if not _DOMAIN.fullmatch(self.domain) or len(self.domain) > DOMAIN_MAX:
            raise refuse(
                field="domain",
                given=self.domain,
                allowed=f"a lower-case DNS domain of at most {DOMAIN_MAX} characters, "
                f"of which at most {HOSTNAME.value} between two dots",
                why="it becomes part of certificates and of every Service's name",
                fix="use 'cluster.local'",
            )
        return self
