"""Faults of addresses, stores and logins: one for each rule."""

from tests.rules.broken import Break
from tests.rules.changes import put, update

BREAKS = (
    Break(
        "public-address", put("address", {"publicIPAddressConfiguration": {"name": "out"}}),
        ("pool",), "public address", "one", "none",
    ),
    Break(
        "api-private", put("front", {"publicIPAddress": {"id": "/p"}}),
        ("api",), "frontend", "a public address", "an internal one",
    ),
    Break(
        "ssh-keys-only", put("login", {}),
        ("pool",), "osProfile.linuxConfiguration.disablePasswordAuthentication", "not true", "true",
    ),
    Break(
        "address-budget", put("range", "10.4.0.0/21"),
        ("subnet",), "addressPrefix", "10.4.0.0/21, 2048 addresses", "a /18 or larger: 12405 are needed",
    ),
    Break(
        "storage-private", update("account", allowBlobPublicAccess=True),
        ("backups",), "public access", "allowBlobPublicAccess is true", "forbidden",
    ),
    Break(
        "store-protected", put("protect_stores", False),
        ("backups",), "protect", "false; it is called backups", "true",
    ),
)  # fmt: skip
