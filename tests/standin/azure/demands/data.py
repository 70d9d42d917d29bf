"""What Azure asks of vaults, storage, DNS records and images beyond the form its models describe.

Sources: the models' own text on VaultProperties (purge protection accepts no false; 7 to 90 days); Azure, Storage account
overview (which kinds go with which SKUs); Time-based retention policies (1 to 146,000 days); DNS zones and records.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from .. import paths

Found = Iterator[tuple[str, Any, str]]
RETENTION: Final = range(7, 91)
IMMUTABLE_DAYS: Final = range(1, 146_001)
SKUS: Final = {
    "StorageV2": (
        "Standard_LRS",
        "Standard_ZRS",
        "Standard_GRS",
        "Standard_RAGRS",
        "Standard_GZRS",
        "Standard_RAGZRS",
        "Premium_LRS",
    ),
    "BlockBlobStorage": ("Premium_LRS", "Premium_ZRS"),
    "FileStorage": ("Premium_LRS", "Premium_ZRS"),
    "BlobStorage": ("Standard_LRS", "Standard_GRS", "Standard_RAGRS"),
    "Storage": ("Standard_LRS", "Standard_ZRS", "Standard_GRS", "Standard_RAGRS", "Premium_LRS"),
}
RECORDS: Final = {
    "A": "aRecords",
    "AAAA": "aaaaRecords",
    "CNAME": "cnameRecord",
    "MX": "mxRecords",
    "PTR": "ptrRecords",
    "SOA": "soaRecord",
    "SRV": "srvRecords",
    "TXT": "txtRecords",
}


def vault(inputs: Mapping[str, Any]) -> Found:
    """Purge protection is on or left out; days in range."""
    if paths.one(inputs, "properties.enablePurgeProtection") is False:
        yield "properties.enablePurgeProtection", False, "true, or left out: the property does not accept false"
    days = paths.one(inputs, "properties.softDeleteRetentionInDays")
    if isinstance(days, int) and days not in RETENTION:
        yield "properties.softDeleteRetentionInDays", days, f"{RETENTION[0]} to {RETENTION[-1]}"


def account(inputs: Mapping[str, Any]) -> Found:
    """A SKU that goes with the kind."""
    kind, sku = inputs.get("kind"), paths.one(inputs, "sku.name")
    if (
        kind in SKUS
        and isinstance(sku, str)
        and not sku.startswith(("StandardV2", "PremiumV2"))
        and sku not in SKUS[kind]
    ):
        yield "sku.name", sku, f"one of {', '.join(SKUS[kind])}, as the kind is {kind}"


def immutability_policy(inputs: Mapping[str, Any]) -> Found:
    """A period in range."""
    days = inputs.get("immutabilityPeriodSinceCreationInDays")
    if not isinstance(days, int | str) or (isinstance(days, int) and days not in IMMUTABLE_DAYS):
        yield "immutabilityPeriodSinceCreationInDays", days, f"{IMMUTABLE_DAYS[0]} to {IMMUTABLE_DAYS[-1]:,} days"


def record_set(inputs: Mapping[str, Any]) -> Found:
    """A type there is, records of that type, and a time to live."""
    given = inputs.get("recordType")
    if given not in RECORDS:
        yield "recordType", given, f"one of {', '.join(RECORDS)}"
        return
    if not inputs.get(RECORDS[given]):
        yield RECORDS[given], None, f"records, as the type is {given}"
    if "ttl" not in inputs:
        yield "ttl", None, "seconds"
