"""Rules about what runs in Kubernetes."""

import re
from collections.abc import Iterator

from kilonode.rules import subjects
from kilonode.rules.facts.workloads import Workload
from kilonode.rules.rule import Fault, rule
from kilonode.rules.unknown import known

_DIGEST = re.compile(r"@(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$")
"""What registries have to take (OCI image specification, descriptor: registered algorithms)."""

_TAG = re.compile(r":(?P<tag>[\w][\w.-]*)$")


@rule(
    "image-digest", subjects.workloads, severity="medium", benchmark="CKV_K8S_43", level="advisory",
    why="a tag can be moved to another image between two starts, a digest cannot; most charts of others name tags, and a tag that says a "
    "version breaks nothing by itself", source="2018 post; checkov",
    fix="append the image's digest, @sha256:…; a team that pins all of them makes this rule mandatory",
)  # fmt: skip
def digest(workload: Workload) -> Iterator[Fault]:
    """Images are named by their digests."""
    for each in workload.images:
        image = known(each)
        if not _DIGEST.search(image) and not _latest(image):
            yield Fault("image", image, "a name with @sha256:…")


@rule(
    "image-latest", subjects.workloads, severity="high", benchmark="CKV_K8S_14",
    why="Kubernetes reads a missing tag as latest, and asks the registry for latest at every start",
    source="2018 post: the registry banned the cluster's address", fix="use a tag that says the version, and the digest",
)  # fmt: skip
def latest(workload: Workload) -> Iterator[Fault]:
    """No image is latest."""
    for each in workload.images:
        image = known(each)
        if _latest(image):
            yield Fault("image", image, "a version, and its digest")


def _latest(image: str) -> bool:
    name, _, pinned = image.partition("@")
    tag = _TAG.search(name.rpartition("/")[2])
    return tag["tag"] == "latest" if tag else not pinned


RULES = (digest, latest)
