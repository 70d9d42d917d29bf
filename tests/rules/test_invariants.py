"""Invariants are refused before anything is made: by the spec or the boot data, in the words and with the id of the rule."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from kilonode.boot.cloudinit import user_data
from kilonode.boot.machine import BootData, File
from kilonode.boot.neighbours import NeighbourThresholds
from kilonode.refusal import RefusedError
from kilonode.region.spec import RegionSpec
from kilonode.rules.registry import RULES
from tests.clouds.azure import regions
from tests.rules.breaks import BREAKS


@dataclass(frozen=True)
class Refused:
    """One spec with a fault; ``allowed``, ``why`` and ``fix`` are the violation's own where the same function judges."""

    rule: str
    settings: Callable[[], dict[str, Any]]
    field: str
    given: str
    allowed: str = ""
    why: str = ""
    fix: str = ""

    @property
    def text(self) -> str:
        """Every word of it."""
        shared = next(each for each in BREAKS if each.rule == self.rule)
        return (
            "1 value refused; nothing was created.\n\n"
            f"{self.field}\n"
            f"    given:   {self.given}\n"
            f"    allowed: {self.allowed or shared.limit}\n"
            f"    why:     {self.why or shared.why}\n"
            f"    fix:     {self.fix or shared.fix}\n"
            f"    rule:    {self.rule}"
        )


def etcd(**changes: Any) -> list[dict[str, Any]]:
    return [{"name": "main", "members": 3, **changes}, {"name": "events", "members": 3}]


THRESHOLDS = {f"net.ipv4.neigh.default.gc_thresh{step}": 100_000 for step in (2, 3)}
SPECS = (
    Refused(
        "etcd-quota", lambda: regions.settings(etcd=etcd(quota=2 * 1024**3)), "region.etcd[0].quota", "2147483648",
        "more than 2GiB, as text such as '8GiB' or '12288MiB', or as whole bytes such as 8589934592",
        "0 means etcd's default of 2 GiB and a negative number no quota at all; the 2 GiB default was hit in a cluster of 1,000 nodes "
        "and stopped it (2018 post)", "write '8GiB'",
    ),
    Refused("etcd-members-odd", lambda: regions.settings(etcd=etcd(members=4)), "region.etcd[0].members", "4"),
    Refused(
        "etcd-local-disk", lambda: regions.settings(cloud={"etcd": {"size": "Standard_D16s_v5"}}),
        "region.cloud.etcd.size", '"Standard_D16s_v5"',
    ),
    Refused(
        "etcd-events-apart", lambda: regions.settings(etcd=etcd()[:1]), "region.etcd", "['main']",
        "a list with the cluster 'events' in it", "a burst of Events must not slow the other keys (2018 post)",
        "add {name: events}",
    ),
    Refused(
        "address-budget", lambda: regions.settings(nodePools=[regions.pool(range="10.65.0.0/26")]),
        "region.nodePools[0].range", "10.65.0.0/26", "a /25 or larger",
        "2 nodes × (30 pods + 1) + 5 reserved = 67 addresses, it has 64", "use a /25, fewer nodes or fewer podsPerNode",
    ),
)  # fmt: skip


@pytest.mark.parametrize("case", SPECS, ids=[each.rule for each in SPECS])
def test_a_spec_is_refused_with_the_id_of_the_rule_and_in_its_words_where_they_fit_a_spec(case: Refused) -> None:
    with pytest.raises(RefusedError) as error:
        RegionSpec.read(case.settings(), "region")
    assert str(error.value) == case.text


def test_thresholds_out_of_order_are_refused_with_the_id_and_in_the_words_of_the_rule() -> None:
    (shared,) = [each for each in BREAKS if each.rule == "arp-thresholds-ordered"]
    with pytest.raises(RefusedError) as error:
        NeighbourThresholds.read({"gcThresh1": 40_000, "gcThresh2": 32_768, "gcThresh3": 65_536}, "thresholds")
    (found,) = error.value.refusals
    assert (found.given, found.allowed, found.rule) == (shared.value, shared.limit, shared.rule)
    assert (found.why, found.fix) == (shared.why, shared.fix)


def boot(content: str) -> BootData:
    return BootData("west-api-1", (File("/etc/more", content),), (), ())


def test_boot_data_with_a_key_in_it_is_refused_with_the_id_of_the_rule() -> None:
    expected = (
        r"west-api-1: /etc/more holds a private key; whoever runs anything on the machine reads it "
        r"\(rule user-data-secrets\)"
    )
    with pytest.raises(ValueError, match=expected):
        user_data(boot("-----BEGIN EC PRIVATE KEY-----\n"))
    assert user_data(boot("-----BEGIN CERTIFICATE-----\n"))


def test_boot_data_that_is_too_large_is_refused_far_below_any_clouds_limit_with_the_id_of_the_rule() -> None:
    with pytest.raises(ValueError, match=r"west-api-1: 66\d+ bytes, the limit is 32767 .*\(rule user-data-size\)"):
        user_data(boot("x" * 66_000))


def test_every_invariant_has_a_constructor_that_refuses_it() -> None:
    others = {"arp-thresholds-ordered", "user-data-secrets", "user-data-size"}
    assert {each.rule for each in SPECS} | others == {rule.id for rule in RULES if "invariant" in rule.doors}
