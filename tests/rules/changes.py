"""Changes of a clean stack."""

from collections.abc import Callable
from typing import Any

from tests.rules.foreign import Foreign

Change = Callable[[Foreign], object]

MAIN = "https://10.0.1.1:2379"
ONE_CLUSTER = ("etcd-1-1", "etcd-1-2", "etcd-1-3")
MEMBERS = (*ONE_CLUSTER, "etcd-2-1", "etcd-2-2", "etcd-2-3")
CLUSTER = (*MEMBERS, "api-1", "api-2", "api-3", "pool")


def flag(name: str, value: str | None, cluster: int = 1) -> Change:
    """Set or remove a flag of one member."""

    def change(of: Foreign) -> None:
        own = of.members[cluster, 1]
        own.pop(name, None)
        if value is not None:
            own[name] = value

    return change


def server(name: str, value: str | None) -> Change:
    """Set or remove a flag of one API server."""

    def change(of: Foreign) -> None:
        own = of.servers[1]
        own.pop(name, None)
        if value is not None:
            own[name] = value

    return change


def machine(name: str, **properties: Any) -> Change:
    return lambda of: of.machines.update({name: properties})


def pool(path: str, value: Any) -> Change:
    def change(of: Foreign) -> None:
        *above, last = path.split(".")
        place: Any = of.pool
        for step in above:
            place = place[step]
        place[last] = value

    return change


def quotas(value: str | None) -> Change:
    """Of all members of one cluster, so that they stay equal."""

    def change(of: Foreign) -> None:
        for (cluster, _), own in of.members.items():
            if cluster == 1:
                own.pop("quota-backend-bytes")
                if value:
                    own["quota-backend-bytes"] = value

    return change


def one_more_member(of: Foreign) -> None:
    of.members[1, 4] = {**of.members[1, 3], "name": "m1-4"}
    # Of four members over three zones two would be in one, which is another rule's.
    of.machines["etcd-1-4"] = {"zones": ["4"]}


def two_fewer(of: Foreign) -> None:
    del of.members[1, 2], of.members[1, 3]
    own = of.members[1, 1]
    own["initial-cluster"] = own["initial-cluster"].partition(",")[0]


def two_servers_fewer(of: Foreign) -> None:
    del of.servers[2], of.servers[3]
    of.servers[1]["goaway-chance"] = "0"


def thresholds(step: int, value: int) -> Change:
    return lambda of: of.sysctls.update({f"net.ipv6.neigh.default.gc_thresh{step}": value})


def update(name: str, **values: Any) -> Change:
    return lambda of: getattr(of, name).update(values)


def put(name: str, value: Any) -> Change:
    return lambda of: setattr(of, name, value)
