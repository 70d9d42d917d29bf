"""For each rule one change of a clean stack that breaks only it, and what is then said."""

from tests.rules import breaks_apiserver, breaks_etcd, breaks_machines, breaks_network, breaks_pools, breaks_stack

BREAKS = (
    *breaks_etcd.BREAKS,
    *breaks_apiserver.BREAKS,
    *breaks_machines.BREAKS,
    *breaks_pools.BREAKS,
    *breaks_network.BREAKS,
    *breaks_stack.BREAKS,
)
