"""The labels and taints a node registers with."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, field_validator

from kilonode.refusal import refuse
from kilonode.spec import Spec

POOL_LABEL = "node.kubernetes.io/pool"
ZONE_LABEL = "topology.kubernetes.io/zone"
LABELS_MAX = 16
TAINTS_MAX = 8
"""Rows of one pool; they are part of boot data."""

KUBELET_LABELS = (
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/instance-type",
    "beta.kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "kubernetes.io/arch",
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "node.kubernetes.io/instance-type",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
)
"""All that kubelet may say of itself in Kubernetes' own domains, beside KUBELET_DOMAINS (k8s.io/kubelet, well_known_labels)."""

KUBELET_DOMAINS = ("kubelet.kubernetes.io", "node.kubernetes.io")
RESERVED_DOMAINS = ("kubernetes.io", "k8s.io")

OWN_LABELS = (
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/zone",
    "kubernetes.io/arch",
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    ZONE_LABEL,
)
"""Each node says its own, but kubelet lets ``--node-labels`` take their place: pods that ask for linux would find no node."""

CONTROLLER_DOMAINS = ("node.cloudprovider.kubernetes.io", "node.kubernetes.io")
"""Taints by which controllers say how a node is (k8s.io/api, well_known_taints; k8s.io/cloud-provider/api)."""

AUTOSCALER_TAINTS = ("ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler")
"""By these the cluster autoscaler marks nodes it is about to end (kubernetes/autoscaler, utils/taints)."""

_SHARED = ", ".join(
    [f"{domain}/*" for domain in KUBELET_DOMAINS] + [key for key in KUBELET_LABELS if key not in OWN_LABELS]
)

_PART = r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?"
_DOMAIN_LABEL = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_DOMAIN = rf"(?=[^/]{{1,253}}/){_DOMAIN_LABEL}(?:\.{_DOMAIN_LABEL})*"
_KEY = re.compile(rf"(?:{_DOMAIN}/)?{_PART}", re.ASCII)
_VALUE = re.compile(rf"(?:{_PART})?", re.ASCII)
_KEY_ALLOWED = "an optional domain and a slash, then at most 63 letters, digits, dashes, dots and underscores, such as example.com/team"
_VALUE_ALLOWED = "at most 63 letters, digits, dashes, dots and underscores, a letter or digit at both ends; or nothing"
_GRAMMAR = "the API server would refuse the node, and kubelet would not start"


def _within(domain: str, domains: tuple[str, ...]) -> bool:
    return any(domain == each or domain.endswith(f".{each}") for each in domains)


def _labels(value: dict[str, str]) -> dict[str, str]:
    for key, text in value.items():
        if not _KEY.fullmatch(key):
            raise refuse(field=key, given=key, allowed=_KEY_ALLOWED, why=_GRAMMAR, fix="give the label another name")
        if not _VALUE.fullmatch(text):
            raise refuse(field=key, given=text, allowed=_VALUE_ALLOWED, why=_GRAMMAR, fix="give it another value")
        domain = key.partition("/")[0] if "/" in key else ""
        if key in OWN_LABELS:
            raise refuse(
                field=key,
                given=text,
                allowed="a label that all nodes of the pool share",
                why="each node registers its own, and the pool's value would stand in place of it",
                fix="remove it: nodes have this label without it",
            )
        if _within(domain, RESERVED_DOMAINS) and not _within(domain, KUBELET_DOMAINS) and key not in KUBELET_LABELS:
            raise refuse(
                field=key,
                given=text,
                allowed=f"any label outside {' and '.join(RESERVED_DOMAINS)}, and inside them {_SHARED}",
                why="kubelet exits when it is given any other label of Kubernetes' own domains, and the API server would "
                "refuse it: a node must not say of itself what it may be trusted with",
                fix=f"use a domain of your own, such as example.com/{key.rpartition('/')[2]}",
            )
    return value


Labels = Annotated[dict[str, str], AfterValidator(_labels)]


class TaintSpec(Spec):
    """What keeps pods off a pool's nodes unless they tolerate it."""

    key: str
    """What a toleration names."""

    value: str = ""
    """What a toleration compares; may be empty."""

    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    """What happens to pods that do not tolerate it."""

    @field_validator("key")
    @classmethod
    def _key(cls, value: str) -> str:
        if not _KEY.fullmatch(value):
            raise refuse(allowed=_KEY_ALLOWED, why=_GRAMMAR, fix="give the taint another key")
        if "/" in value and value.partition("/")[0] in CONTROLLER_DOMAINS:
            raise refuse(
                allowed=f"a key outside {' and '.join(CONTROLLER_DOMAINS)}",
                why="Kubernetes' own controllers say there how a node is, and remove what is not so: "
                "the taint would be gone, or never go",
                fix=f"use a domain of your own, such as example.com/{value.rpartition('/')[2]}",
            )
        if value in AUTOSCALER_TAINTS:
            raise refuse(
                allowed="a key other than " + " and ".join(AUTOSCALER_TAINTS),
                why="the cluster autoscaler would take every node of the pool for one that it is about to end",
                fix="give the taint another key",
            )
        return value

    @field_validator("value")
    @classmethod
    def _value(cls, value: str) -> str:
        if not _VALUE.fullmatch(value):
            raise refuse(allowed=_VALUE_ALLOWED, why=_GRAMMAR, fix="give it another value")
        return value
