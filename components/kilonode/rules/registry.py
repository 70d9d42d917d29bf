"""All rules, in one table."""

from kilonode.rules import apiserver, etcd, network, nodes, scaling, stack, storage, userdata, workloads
from kilonode.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    *etcd.RULES,
    *apiserver.RULES,
    *nodes.RULES,
    *scaling.RULES,
    *network.RULES,
    *storage.RULES,
    *userdata.RULES,
    *workloads.RULES,
    *stack.RULES,
)

BY_ID = {each.id: each for each in RULES}
