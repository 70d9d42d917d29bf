"""Parts of a resource that are resources too: subnets given within a network, rules within a security group.

The plugin leaves such lists alone where a program gives none: on creation it sends an empty one, on updates what is there.
Where a program gives them, the list is the whole truth, and what is missing from it is deleted.
"""

from copy import deepcopy
from typing import Any, Final

from . import addresses, holds, ids, server
from .store import Store, Stored

LISTED: Final = {
    "network:VirtualNetwork": ("subnets", "network:Subnet", "subnetName"),
    "network:NetworkSecurityGroup": ("securityRules", "network:SecurityRule", "securityRuleName"),
}


def kept(inputs: dict[str, Any], old: Stored) -> dict[str, Any]:
    """The inputs of an update with the lists that they do not give, as they are."""
    left_out = [name for name in old.kind.maintained if name not in inputs and name in old.body]
    return deepcopy(inputs) | {name: deepcopy(old.body[name]) for name in left_out}


def write(store: Store, new: Stored, old: Stored | None) -> None:
    """Make, change and delete the resources that a given list stands for."""
    if new.token not in LISTED:
        return
    part, token, name_input = LISTED[new.token]
    given = new.body.pop(part, None)
    if given is None:
        return
    store.put(new)
    wanted = {f"{new.id}/{part}/{each['name']}": each for each in given}
    for each in store.beneath(new.id) if old else []:
        if each.token == token and ids.key(each.id) not in {ids.key(key) for key in wanted}:
            holds.refuse(store, each)
            store.remove(each.id)
    above = {name: new.body[name] for name in new.kind.parameters}
    for key, each in wanted.items():
        body = {**above, name_input: each["name"], **{name: value for name, value in each.items() if name != "id"}}
        made = Stored(key, token, body, origin="part")
        found = store.get(key)
        if found and token == "network:Subnet":
            addresses.refuse_prefix_change(store, found, body)
        if found:
            made.server = found.server
        else:
            server.at_creation(store, made)
        store.put(made)
