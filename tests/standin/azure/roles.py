"""Roles that every subscription has. Source: Azure built-in roles (role-based-access-control/built-in-roles)."""

import re
from typing import Final

BUILT_IN: Final = {
    "Owner": "8e3af657-a8ff-443c-a75c-2fe8c4bcb635",
    "Contributor": "b24988ac-6180-42a0-ab88-20f7382dd24c",
    "Reader": "acdd72a7-3385-48ef-bd42-f606fba81ae7",
    "Network Contributor": "4d97b98b-1d4f-4787-a291-c67834d212e7",
    "Virtual Machine Contributor": "9980e02c-c2be-4d73-94e8-173b1dc7cf3c",
    "Managed Identity Operator": "f1a07417-d97a-45cb-824c-7a7467783830",
    "Key Vault Administrator": "00482a5a-887f-4fb3-b363-3b7fe8e74483",
    "Key Vault Reader": "21090545-7ca7-4776-b22c-e363652d74d2",
    "Key Vault Secrets Officer": "b86a8fe4-44ce-4948-aee5-eccb2c155cd7",
    "Key Vault Secrets User": "4633458b-17de-408a-b874-0445c86b69e6",
    "Storage Blob Data Owner": "b7e6dc6d-f1e8-4753-8033-0f276bb0955b",
    "Storage Blob Data Contributor": "ba92f5b4-2d11-453d-a403-e96b0029c9fe",
    "Storage Blob Data Reader": "2a2b9908-6ea1-4ae2-8e65-a410df84e7d1",
}
PATTERN: Final = re.compile(
    r"(/subscriptions/[^/]+)?/providers/Microsoft\.Authorization/roleDefinitions/([0-9a-f-]{36})", re.IGNORECASE
)


def built_in(identifier: str) -> bool:
    """Whether the id is that of a role every subscription has."""
    found = PATTERN.fullmatch(identifier)
    return found is not None and found[2].lower() in BUILT_IN.values()
