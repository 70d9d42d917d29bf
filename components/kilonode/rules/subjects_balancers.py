"""Which load balancers rules look at: those of the API, by their ports and by who is behind them."""

from collections.abc import Iterable
from dataclasses import replace

from kilonode.rules.facts.machines import Machine
from kilonode.rules.facts.network import Forward, LoadBalancer
from kilonode.rules.facts.pools import NodePool
from kilonode.rules.facts.stack import Facts, Unread
from kilonode.rules.unknown import Fact, Unknown, known

API_PORT, SHARED_PORT = 6443, 443
"""kube-apiserver's own port, and one that it may share with everything else that speaks HTTPS."""

NEVER_THE_API = frozenset({22, 80})
"""Where SSH and plain HTTP are, which kube-apiserver does not speak (kube-apiserver help: serving HTTPS)."""


def api_balancers(facts: Facts) -> Iterable[LoadBalancer | Unread]:
    """Load balancers of the API, each with what it hands on to it: by its port, or because API servers are behind."""
    for each in facts.balancers:
        if isinstance(each.ports, Unknown):
            yield Unread(each.resource, each.ports.field)
        elif API_PORT in each.ports:
            # Nothing else listens there; the servers may be in another stack.
            yield _at(each, API_PORT)
        elif SHARED_PORT in each.ports:
            yield from _before_servers(_at(each, SHARED_PORT), facts)
        elif own := _elsewhere(each):
            yield from _before_servers(replace(each, forwards=own), facts)


def _at(balancer: LoadBalancer, port: int) -> LoadBalancer:
    return replace(balancer, forwards=tuple(row for row in known(balancer.forwards) if port in known(row.ports)))


def _elsewhere(balancer: LoadBalancer) -> Fact[tuple[Forward, ...]]:
    """What may hand on to API servers, or to a proxy beside them, at no port of the API's; of several nobody can tell which does."""
    own = tuple(row for row in known(balancer.forwards) if NEVER_THE_API.isdisjoint(known(row.ports)))
    return own if len(own) <= 1 else Unknown("which of the load balancer's ports is the API's")


def _before_servers(balancer: LoadBalancer, facts: Facts) -> Iterable[LoadBalancer | Unread]:
    """The load balancer if an API server is behind it; Unread if one may be."""
    servers = {resource for group in facts.api_servers for resource in group.resources}
    maybe = {each.resource for each in facts.unread}
    both: tuple[Machine | NodePool, ...] = (*facts.machines, *facts.pools)
    own = [each for each in both if each.resource in servers | maybe]
    unknown = next(
        (Unread(each.resource, each.balancers.field) for each in own if isinstance(each.balancers, Unknown)), None
    )
    behind = {
        each.resource for each in own if not isinstance(each.balancers, Unknown) and balancer.resource in each.balancers
    }
    if behind & servers:
        yield balancer
    elif unknown:
        yield unknown
    else:
        yield from (each for each in facts.unread if each.resource in behind)
