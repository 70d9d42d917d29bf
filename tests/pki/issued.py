"""Authorities and certificate rows of an ordinary region, for tests to issue."""

from collections.abc import Iterable
from functools import cache

from kilonode.pki.issue import Pair, new_authority
from kilonode.pki.kinds import Certificate, Credential
from tests.plans import credentials, plan


@cache
def authority(name: str) -> Pair:
    """One authority per name: making a key takes longer than looking at it."""
    return new_authority(f"west-{name}")


def certificates() -> dict[str, Certificate]:
    """Every certificate of an ordinary region, one machine per role, by machine and file."""
    planned = plan(
        etcd=[{"name": name, "members": 1} for name in ("main", "events", "leases")], apiServers={"count": 1}
    )
    rows = credentials(planned)
    return {
        f"{name} {row.service} {row.file}": row for name in rows for row in rows[name] if isinstance(row, Certificate)
    }


def named(rows: Iterable[Credential], service: str, file: str) -> Certificate:
    """The certificate among some rows that is delivered as that file of a service."""
    return next(row for row in rows if isinstance(row, Certificate) and (row.service, row.file) == (service, file))
