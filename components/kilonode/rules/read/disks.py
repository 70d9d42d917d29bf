"""How many operations per second a network disk is good for, where its type and size say so."""

from dataclasses import dataclass

from kilonode.rules.unknown import Fact, Unknown


@dataclass(frozen=True)
class Tier:
    """A size of premium disks; ``plus`` is with performance plus, where that is to be had."""

    name: str
    gib: int
    iops: int
    plus: int = 0


TIERS = (
    Tier("P1", 4, 120), Tier("P2", 8, 120), Tier("P3", 16, 120), Tier("P4", 32, 120), Tier("P6", 64, 240),
    Tier("P10", 128, 500), Tier("P15", 256, 1_100), Tier("P20", 512, 2_300),
    Tier("P30", 1_024, 5_000, 8_000), Tier("P40", 2_048, 7_500, 16_000), Tier("P50", 4_096, 7_500, 20_000),
    Tier("P60", 8_192, 16_000, 20_000), Tier("P70", 16_384, 18_000, 20_000), Tier("P80", 32_767, 20_000, 20_000),
)  # fmt: skip
"""MicrosoftDocs/azure-docs, includes/disk-storage-premium-ssd-sizes.md; a size between two is the larger's."""

V2 = 3_000
"""Of every Premium SSD v2, for nothing (Azure docs, managed disk types)."""

GP3, GP2_EACH, GP2_LEAST, GP2_MOST = 3_000, 3, 100, 16_000
"""gp3's default, and gp2's per GiB (EC2 API reference, EbsBlockDevice; EBS user guide, volume types)."""


@dataclass(frozen=True)
class Asked:
    """What is asked for; ``said`` are operations per second, and ``tier`` is one chosen apart from the size."""

    kind: Fact[str | None]
    gib: Fact[int | None]
    said: Fact[int | None]
    tier: Fact[str | None] = None
    plus: Fact[bool | None] = None


def azure(asked: Asked) -> Fact[int | None]:
    """Operations per second of a disk of Azure; None where nothing is assured."""
    if asked.said is not None:
        return asked.said
    if isinstance(asked.kind, Unknown):
        return asked.kind
    match asked.kind:
        case "PremiumV2_LRS":
            return V2
        case "UltraSSD_LRS":
            return Unknown("diskIOPSReadWrite")
        case "Premium_LRS" | "Premium_ZRS":
            return _premium(asked)
    return None


def _premium(asked: Asked) -> Fact[int | None]:
    for each in (asked.gib, asked.tier, asked.plus):
        if isinstance(each, Unknown):
            return each
    sized = next((tier for tier in TIERS if isinstance(asked.gib, int) and asked.gib <= tier.gib), None)
    chosen = next((tier for tier in TIERS if tier.name == asked.tier), None)
    found = [max(tier.iops, tier.plus if asked.plus else 0) for tier in (sized, chosen) if tier]
    return max(found) if found else Unknown("diskSizeGB")


def aws(asked: Asked) -> Fact[int | None]:
    """Operations per second of a volume of AWS; None where nothing is assured. One whose type is not said is gp2."""
    if asked.said is not None:
        return asked.said
    if isinstance(asked.kind, Unknown):
        return asked.kind
    match asked.kind:
        case "gp3":
            return GP3
        case "gp2" | None:
            if asked.gib is None or isinstance(asked.gib, Unknown):
                return asked.gib or Unknown("volumeSize")
            return min(GP2_MOST, max(GP2_LEAST, GP2_EACH * asked.gib))
    return None
