"""Functions of the plugin: who runs it, and the getters of resources that are served."""

from collections.abc import Mapping
from typing import Any, Final

from . import ids
from .cloud import Cloud
from .kinds import KINDS, NotServedError, kind_of
from .refusal import ArmError

CLIENT: Final = {
    "clientId": ids.CLIENT,
    "objectId": ids.PRINCIPAL,
    "tenantId": ids.TENANT,
}


def invoke(cloud: Cloud, token: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The function's result; raises ArmError for what does not exist, NotServedError for what is not served."""
    short = token.removeprefix("azure-native:")
    if short == "authorization:getClientConfig":
        return CLIENT | {"subscriptionId": cloud.store.subscription}
    module, _, name = short.partition(":")
    served = f"{module}:{name.removeprefix('get')}"
    if not name.startswith("get") or served not in KINDS:
        raise NotServedError(f"the stand-in for Azure serves no function {token}")
    kind = kind_of(served)
    identifier = ids.make(kind, arguments, cloud.store.subscription)
    found = cloud.read(identifier)
    if found is None:
        raise ArmError(404, "ResourceNotFound", f"The Resource '{identifier}' was not found.")
    return {**cloud.outputs(found), "id": found.id}
