"""All rules, in one table."""

from kilonode.rules import (
    apiserver,
    apiserver_access,
    apiserver_records,
    autoscaler,
    etcd,
    etcd_data,
    etcd_tls,
    machines,
    network,
    nodes,
    pools,
    stack,
    storage,
    userdata,
    workloads,
)
from kilonode.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    *etcd.RULES,
    *etcd_data.RULES,
    *etcd_tls.RULES,
    *apiserver.RULES,
    *apiserver_access.RULES,
    *apiserver_records.RULES,
    *machines.RULES,
    *nodes.RULES,
    *pools.RULES,
    *autoscaler.RULES,
    *network.RULES,
    *storage.RULES,
    *userdata.RULES,
    *workloads.RULES,
    *stack.RULES,
)

BY_ID = {each.id: each for each in RULES}
