"""Rules about stores."""

from collections.abc import Iterator

from kilonode.rules import subjects
from kilonode.rules.facts.storage import Storage
from kilonode.rules.rule import Fault, rule
from kilonode.rules.unknown import known


@rule(
    "storage-private", subjects.storage, severity="critical",
    benchmark="CKV_AZURE_190, CKV_AZURE_34, CKV_AWS_53, CKV_AWS_54, CKV_AWS_55, CKV_AWS_56",
    why="snapshots hold every secret of the cluster, and checkpoints every model; what says nothing is closed on both clouds since "
    "2023, and is no violation",
    source="checkov; Amazon S3 user guide, blocking public access; Azure docs, remediate anonymous read access",
    fix="forbid public access to blobs: allowBlobPublicAccess false, or a public access block with all four ways closed; what is to "
    "be read by anybody, as a website is, needs an exemption with its reason",
)  # fmt: skip
def private(store: Storage) -> Iterator[Fault]:
    """Nobody reads a store without a right to it."""
    if opened := known(store.opened):
        yield Fault("public access", opened, "forbidden")


@rule(
    "store-protected", subjects.storage, severity="critical",
    why="one edit of a program deletes it, and what it holds is made anew by nobody; that is judged of vaults and keys, of stores "
    "called after snapshots, backups, checkpoints, velero or etcd and not after logs, of immutable ones, and of their accounts",
    source="design: stateful resources are protected", fix="set protect on the resource",
)  # fmt: skip
def protected(store: Storage) -> Iterator[Fault]:
    """Vaults, and stores of snapshots and checkpoints, are protected."""
    if not known(store.protected) and (holds := known(store.holds)):
        yield Fault("protect", f"false; {holds}", "true")


RULES = (private, protected)
