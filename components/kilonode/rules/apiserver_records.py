"""Rules about what an API server writes down: its audit log, and secrets in etcd."""

from collections.abc import Iterator, Mapping
from typing import Any

from kilonode.rules import subjects
from kilonode.rules.apiserver_files import loaded
from kilonode.rules.facts.controlplane import ApiServer
from kilonode.rules.parameter import Parameter
from kilonode.rules.read.documents import rows
from kilonode.rules.rule import Fault, rule

POLICY, PROVIDERS = "audit-policy-file", "encryption-provider-config"
STAGES = frozenset({"RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"})
EVERY_REQUEST = frozenset({"level", "omitStages", "omitManagedFields"})
"""Keys of a rule of an audit policy that choose no requests: one with no others is for all (kubernetes.io, audit.k8s.io/v1)."""


@rule(
    "apiserver-audit", subjects.api_servers, severity="high",
    benchmark="CIS 1.2.16, CIS 1.2.17, CIS 1.2.18, CIS 1.2.19, CKV_K8S_91, CKV_K8S_92, CKV_K8S_93, CKV_K8S_94",
    why="without it nobody can say afterwards who changed what", source="CIS Kubernetes 1.2.16 to 1.2.19",
    fix="set audit-policy-file, audit-log-path, audit-log-maxage, audit-log-maxbackup and audit-log-maxsize",
    days=Parameter(30, "days that logs are kept", "more"), files=Parameter(10, "files that are kept", "more"),
    megabytes=Parameter(100, "size of one file", "more"),
)  # fmt: skip
def audit(server: ApiServer, days: int, files: int, megabytes: int) -> Iterator[Fault]:
    """Requests are logged, and logs are kept."""
    path = server.flags.get(POLICY)
    if not path:
        yield Fault(POLICY, None, "a file")
    if not server.flags.get("audit-webhook-config-file"):
        yield from _kept(server, days, files, megabytes)
    if path in server.files and not _logs(loaded(server, POLICY)):
        yield Fault(
            POLICY,
            "a policy that logs nothing",
            "a rule with the level Metadata or above",
            fix="log Metadata of every request at least",
        )


def _kept(server: ApiServer, days: int, files: int, megabytes: int) -> Iterator[Fault]:
    if not server.flags.get("audit-log-path"):
        yield Fault("audit-log-path", None, "a file")
        return
    for flag, least in (("audit-log-maxage", days), ("audit-log-maxbackup", files), ("audit-log-maxsize", megabytes)):
        given = server.flags.get(flag, "0")
        # 0 of the first two is for ever, and so is enough; of the third it is the default of 100.
        if given.isdecimal() and 0 < int(given) < least:
            yield Fault(flag, given, f"{least} or more")


def _logs(policy: Mapping[str, Any]) -> bool:
    """Whether any request is written down: of the rules the first that fits a request holds."""
    for row in rows(policy.get("rules")):
        own = row if isinstance(row, Mapping) else {}
        omitted = {*map(str, rows(policy.get("omitStages"))), *map(str, rows(own.get("omitStages")))}
        if own.get("level") not in {None, "None"} and STAGES - omitted:
            return True
        if own.keys() <= EVERY_REQUEST:
            return False
    return False


@rule(
    "apiserver-encryption", subjects.api_servers, severity="high", benchmark="CIS 1.2.27, CKV_K8S_104",
    why="snapshots and disks of etcd hold every secret in plain text", source="CIS Kubernetes 1.2.27; kubernetes.io, apiserver.config.k8s.io/v1",
    fix="set encryption-provider-config, to a file whose first provider for secrets encrypts",
)  # fmt: skip
def encryption(server: ApiServer) -> Iterator[Fault]:
    """Secrets are encrypted at rest."""
    path = server.flags.get(PROVIDERS)
    if not path:
        yield Fault(PROVIDERS, None, "a file")
    # The file may hold keys, so it is right that user data does not have it.
    elif path in server.files and (first := _first_provider(loaded(server, PROVIDERS))) in {None, "identity"}:
        yield Fault(PROVIDERS, f"secrets: {first or 'no provider'}", "a first provider for secrets that encrypts")


def _first_provider(config: Mapping[str, Any]) -> str | None:
    """What secrets are written with: of the rows the first that names them holds, and of its providers the first."""
    for row in rows(config.get("resources")):
        if isinstance(row, Mapping) and {"secrets", "*.", "*.*"} & {*map(str, rows(row.get("resources")))}:
            first = next(iter(rows(row.get("providers"))), None)
            return next(iter(map(str, first)), None) if isinstance(first, Mapping) else None
    return None


RULES = (audit, encryption)
