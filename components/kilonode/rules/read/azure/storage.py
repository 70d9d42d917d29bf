"""Storage accounts, their containers and websites of azure-native into facts: what lets anybody read one."""

from collections.abc import Iterator, Sequence

from kilonode.rules.facts.storage import Storage
from kilonode.rules.read.azure.kinds import ACCOUNT, CONTAINER, WEBSITE
from kilonode.rules.read.resource import Resource
from kilonode.rules.unknown import Fact, Unknown

_ALLOWED = "allowBlobPublicAccess"


def stores(resources: Sequence[tuple[str, Resource]]) -> Iterator[Storage]:
    """Each account, container and website, by what lets anybody read it.

    An account that says nothing forbids it, if it was made since August 2023; in an older one too nobody reads a
    container that does not let him (Azure docs, remediate anonymous read access).
    """
    accounts = [each for kind, each in resources if kind == ACCOUNT]
    for kind, each in resources:
        if kind == ACCOUNT:
            yield Storage(each.urn, each.name, _opened(_allows(each), each), each.protect)
        elif kind == CONTAINER:
            yield Storage(each.urn, each.name, _part(each, _lets(each), accounts, allowed=True), each.protect)
        elif kind == WEBSITE:
            # What it serves it serves to anybody, whatever the account allows of blobs (Azure docs, static websites).
            site = "a static website serves $web to anybody"
            yield Storage(each.urn, each.name, _part(each, site, accounts, allowed=False), protected=True)


def _allows(account: Resource) -> Fact[str | None]:
    allowed = _allowed(account)
    return allowed if isinstance(allowed, Unknown) else f"{_ALLOWED} is true" if allowed else None


def _allowed(account: Resource) -> Fact[bool | None]:
    """What its program says, else what the cloud has answered."""
    own = account.truth(_ALLOWED)
    answered = account.outputs.get(_ALLOWED)
    return answered if own is None and isinstance(answered, bool) else own


def _lets(container: Resource) -> Fact[str | None]:
    access = container.text("publicAccess")
    if access is None or isinstance(access, Unknown):
        return access
    return None if access == "None" else f"publicAccess is {access}"


def _part(each: Resource, how: Fact[str | None], accounts: Sequence[Resource], *, allowed: bool) -> Fact[str | None]:
    """What lets anybody read a part of an account; ``allowed`` where the account has to allow it."""
    account = each.named("accountName", accounts, also="accountName") if how is not None else None
    if isinstance(account, Unknown) or account is None:
        return account or how
    if allowed:
        given = _allowed(account)
        if given is False or isinstance(given, Unknown):
            return given or None
    return _opened(how, account)


def _opened(how: Fact[str | None], account: Resource) -> Fact[str | None]:
    closed = _closed(account) if how is not None else False
    return None if closed is True else closed or how


def _closed(account: Resource) -> Fact[bool]:
    """Whether the internet does not reach an account: by networks one has named it is reached from inside them only."""
    access, action = account.text("publicNetworkAccess"), account.text("networkRuleSet.defaultAction")
    ranges = account.rows("networkRuleSet.ipRules")
    if access == "Disabled" or (action == "Deny" and ranges == []):
        return True
    perimeter = Unknown("publicNetworkAccess (a perimeter decides)") if access == "SecuredByPerimeter" else False
    return next((each for each in (access, action, ranges) if isinstance(each, Unknown)), perimeter)
