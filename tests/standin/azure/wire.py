"""What azure-native's SDK can put on the wire for one resource type: the input names, and the classes within them."""

import enum
import importlib
import inspect
import re
import typing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pulumi import _types

# Names azure-native gives to fields that Azure's API calls otherwise (x-ms-client-name), by the SDK's class.
RENAMED: Final = {
    ("StorageAccountArgs", "enableHttpsTrafficOnly"): "supportsHttpsTrafficOnly",
    ("StorageAccountArgs", "enableNfsV3"): "isNfsV3Enabled",
    ("StorageAccountArgs", "networkRuleSet"): "networkAcls",
    ("EncryptionArgs", "encryptionIdentity"): "identity",
    ("EncryptionArgs", "keyVaultProperties"): "keyvaultproperties",
    ("EncryptionIdentityArgs", "encryptionFederatedIdentityClientId"): "federatedIdentityClientId",
    ("EncryptionIdentityArgs", "encryptionUserAssignedIdentity"): "userAssignedIdentity",
    ("IPRuleArgs", "iPAddressOrRange"): "value",
    ("KeyVaultPropertiesArgs", "keyName"): "keyname",
    ("KeyVaultPropertiesArgs", "keyVaultUri"): "keyvaulturi",
    ("KeyVaultPropertiesArgs", "keyVersion"): "keyversion",
    ("SecretAttributesArgs", "expires"): "exp",
    ("SecretAttributesArgs", "notBefore"): "nbf",
    ("VirtualNetworkRuleArgs", "virtualNetworkResourceId"): "id",
}


@dataclass(frozen=True)
class Input:
    """One input: whether the SDK insists on it, the API's name for it, and the SDK's classes of what is in it."""

    required: bool
    rest_name: str
    listed: bool
    classes: tuple[type, ...]


def arguments(token: str) -> type:
    """The SDK's class of all arguments of a resource; `InitArgs` where a nested type has the plain name."""
    module, _, name = token.partition(":")
    # The word ends where a capital starts a new one: PublicIPAddress is public_ip_address.
    file = re.sub(r"([a-z0-9])([A-Z])|([A-Z]+)([A-Z][a-z])", r"\1\3_\2\4", name).lower()
    source = importlib.import_module(f"pulumi_azure_native.{module}.{file}")
    found = getattr(source, f"{name}InitArgs", None) or getattr(source, f"{name}Args")
    assert isinstance(found, type)
    return found


def inputs(args: type) -> dict[str, Input]:
    """The inputs of one of the SDK's argument classes, by the name on the wire."""
    wire = _types.input_type_py_to_pulumi_names(args)
    hints = _types.input_type_types(args)
    signature = inspect.signature(args.__init__).parameters  # type: ignore[misc]
    found = {}
    for attribute, name in wire.items():
        hint = hints.get(name, hints.get(attribute))
        found[name] = Input(
            required=signature[attribute].default is inspect.Parameter.empty,
            rest_name=RENAMED.get((args.__name__, name), name),
            listed=any(typing.get_origin(each) is Sequence for each in _choices(hint)),
            classes=tuple(dict.fromkeys(_classes(hint))),
        )
    return found


def _choices(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) is typing.Union else (hint,)


def _classes(hint: Any) -> Iterator[type]:
    origin = typing.get_origin(hint)
    if origin is typing.Union:
        for each in typing.get_args(hint):
            yield from _classes(each)
    elif origin is not None:
        yield from _classes(typing.get_args(hint)[-1])
    elif isinstance(hint, type) and _types.is_input_type(hint) and not issubclass(hint, enum.Enum):
        yield hint
