"""Text is read as Go's programs read it."""

import pytest

from kilonode.rules.go import seconds, truth, whole
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Undecided, Violation
from tests.rules.changes import Change, flag, server, update
from tests.rules.foreign import Foreign


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1h0m0s", 3600), ("5m", 300), ("1.5h", 5400), (".5s", 0.5), ("1.s", 1), ("500us", 0.0005), ("1µs", 1e-6), ("3ns", 3e-9),
        ("0", 0), ("-0", 0), ("0h", 0), ("0m0s", 0), ("-5m", -300), ("+5m", 300),
        ("5", None), ("00", None), ("-1", None), ("banana", None), ("", None), ("5m ", None), ("5 m", None), (".s", None), ("1d", None), ("+", None),
    ],
)  # fmt: skip
def test_a_duration_is_read_as_go_reads_it(text: str, value: float | None) -> None:
    assert seconds(text) == (None if value is None else pytest.approx(value))


WHOLE = (
    ("0", 0), ("-0", 0), ("+5", 5), ("-5", -5), ("1000", 1000), ("1_000", 1000), ("010", 8), ("0_7", 7), ("00", 0),
    ("0x1F4", 500), ("0X1f4", 500), ("0x_1", 1), ("0o17", 15), ("0O1_7", 15), ("0b101", 5), ("0B_1", 1),
    ("9223372036854775807", 2**63 - 1), ("-9223372036854775808", -(2**63)), ("0x7fffffffffffffff", 2**63 - 1),
    ("9223372036854775808", None), ("-9223372036854775809", None), ("0xffffffffffffffff", None),
    ("", None), ("+", None), ("1e2", None), ("5.", None), ("08", None), ("0x", None), ("0b2", None), ("_1", None), ("1_", None), ("1__0", None),
    ("0_x1", None), (" 1", None), ("1;", None), ("\u0661", None), ("many", None),
)  # fmt: skip


@pytest.mark.parametrize(("text", "value"), WHOLE)
def test_a_whole_number_is_read_as_go_reads_it(text: str, value: int | None) -> None:
    assert whole(text) == value


@pytest.mark.parametrize("text", ["0x400", "1_000", "0o2000", "0b10000000000", "1e3", "many", ""])
@pytest.mark.parametrize("flag", ["max-scale-down-parallelism", "max-empty-bulk-delete", "ok-total-unready-count"])
def test_a_limit_of_the_autoscaler_is_none_however_its_number_is_written(flag: str, text: str) -> None:
    of = Foreign()
    of.autoscaler[flag] = text
    rule = "autoscaler-unready" if flag.startswith("ok-") else "autoscaler-scale-in"
    assert [each.value for each in said(rule, of) if isinstance(each, Violation)] == [text]


@pytest.mark.parametrize("text", ["Inf", "NaN", "1e300", "0x1p10", "1000.", "1e2", "many"])
def test_a_share_that_stops_nothing_is_no_limit(text: str) -> None:
    of = Foreign()
    of.autoscaler["max-total-unready-percentage"] = text
    assert [each.value for each in said("autoscaler-unready", of) if isinstance(each, Violation)] == [text]


def test_a_ceiling_in_another_base_is_one() -> None:
    of = Foreign()
    of.autoscaler |= {"max-nodes-total": "0x1F4", "max-nodes-per-scaleup": "0x10", "max-scale-down-parallelism": "0xA"}
    assert {rule: said(rule, of) for rule in BY_ID if rule.startswith("autoscaler") and said(rule, of)} == {}


@pytest.mark.parametrize("text", ["1", "t", "T", "TRUE", "true", "True"])
def test_what_go_takes_for_true_is_true(text: str) -> None:
    assert truth(text) is True


@pytest.mark.parametrize("text", ["0", "f", "F", "FALSE", "false", "False"])
def test_what_go_takes_for_false_is_false(text: str) -> None:
    assert truth(text) is False


@pytest.mark.parametrize("text", [None, "", "yes", "no", "tRUE", "2", " true"])
def test_what_go_takes_for_no_truth_is_neither(text: str | None) -> None:
    assert truth(text) is None


FLAGS: tuple[tuple[str, Change, str], ...] = (
    # The last is the violation's value; nothing where nothing is broken.
    ("etcd-client-tls", flag("client-cert-auth", "1"), ""),
    ("etcd-client-tls", flag("client-cert-auth", "yes"), "yes"),
    ("etcd-peer-tls", flag("peer-client-cert-auth", "T"), ""),
    ("etcd-peer-tls", flag("peer-client-cert-auth", "0"), "0"),
    ("etcd-no-auto-tls", flag("auto-tls", "1"), "1"),
    ("etcd-no-auto-tls", flag("peer-auto-tls", "F"), ""),
    ("apiserver-anonymous", server("anonymous-auth", "0"), ""),
    ("apiserver-anonymous", server("anonymous-auth", "TRUE"), "TRUE"),
    ("apiserver-profiling", server("profiling", "False"), ""),
    ("apiserver-profiling", server("profiling", "1"), "1"),
    ("kubelet-parallel-pulls", update("kubelet", serializeImagePulls="F"), ""),
    ("kubelet-parallel-pulls", update("kubelet", serializeImagePulls="t"), "t"),
    ("kubelet-anonymous", update("kubelet", authentication={"anonymous": {"enabled": "0"}}), ""),
    ("kubelet-anonymous", update("kubelet", authentication={"anonymous": {"enabled": "1"}}), "1"),
    *(("etcd-compaction", flag("auto-compaction-retention", text), text) for text in ("0", "00", "0h", "0m0s", "-5m", "-1", "banana")),
    *(("etcd-compaction", flag("auto-compaction-retention", text), "") for text in ("1", "5m", "+5m", "8.5h")),
    ("apiserver-compaction", server("etcd-compaction-interval", None), ""),
    *(("apiserver-compaction", server("etcd-compaction-interval", text), text) for text in ("0s", "-5m", "30m1s", "soon")),
    *(("apiserver-compaction", server("etcd-compaction-interval", text), "") for text in ("1ms", "30m")),
    *(("apiserver-event-ttl", server("event-ttl", text), text) for text in ("0", "0s", "999ms", "-1h")),
    ("apiserver-event-ttl", server("event-ttl", "1s"), ""),
)  # fmt: skip


@pytest.mark.parametrize(("rule", "change", "value"), FLAGS, ids=[f"{rule}-{n}" for n, (rule, *_) in enumerate(FLAGS)])
def test_a_flag_is_judged_by_what_its_program_makes_of_it(rule: str, change: Change, value: str) -> None:
    of = Foreign()
    change(of)
    assert [each.value for each in said(rule, of) if isinstance(each, Violation)] == ([value] if value else [])


def said(rule: str, of: Foreign) -> list[Violation | Undecided]:
    return list(BY_ID[rule].check(of.facts()))


@pytest.mark.parametrize(
    ("mode", "retention", "value"),
    [
        ("revision", "1000", ""),
        ("revision", "5m", "5m"),
        ("revision", "0", "0"),
        ("revision", None, "nothing"),
        ("periodic", "5m", ""),
        ("1h", "5m", "1h"),
    ],
)
def test_etcd_compaction_is_judged_by_what_it_counts(mode: str, retention: str | None, value: str) -> None:
    of = Foreign()
    for change in (flag("auto-compaction-mode", mode), flag("auto-compaction-retention", retention)):
        change(of)
    found = [each for each in said("etcd-compaction", of) if isinstance(each, Violation)]
    assert [each.value for each in found] == ([value] if value else [])
    assert [each.field for each in found] == [f"auto-compaction-{'mode' if mode == '1h' else 'retention'}"] * len(found)


def quoted(text: str) -> str:
    """One word of a unit's command line."""
    return f"'{text}'"


LOCAL = (
    "http://localhost:2379",
    "http://[::1]:2379",
    "http://127.8.0.1:2379",
    "HTTP://LOCALHOST:2379",
    "unix:///run/etcd.sock",
    "unixs://x",
)


@pytest.mark.parametrize("urls", [*LOCAL, "https://10.0.1.1:2379 , http://127.0.0.1:2379", "HTTPS://10.0.1.1:2379"])
@pytest.mark.parametrize(
    ("rule", "name"),
    [("etcd-client-tls", "listen-client-urls"), ("etcd-peer-tls", "listen-peer-urls")],
)
def test_a_url_that_nobody_else_reaches_or_reads_along_is_no_fault(rule: str, name: str, urls: str) -> None:
    of = Foreign()
    flag(name, quoted(urls))(of)
    assert said(rule, of) == []


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1.example.com:2379", "HTTP://10.0.1.1:2379", "http://localhost.example.com", "http://[::", "http://0.0.0.0:2379", "10.0.1.1:2379"],
)  # fmt: skip
@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("etcd-client-tls", "listen-client-urls"),
        ("etcd-client-tls", "listen-client-http-urls"),
        ("etcd-peer-tls", "listen-peer-urls"),
    ],
)
def test_a_url_in_the_clear_is_one_however_it_is_written(rule: str, name: str, url: str) -> None:
    of = Foreign()
    flag(name, quoted(f"https://10.0.1.1:2379,\t {url}"))(of)
    assert [(each.field, each.value) for each in said(rule, of) if isinstance(each, Violation)] == [(name, url)]


def test_figures_of_etcd_may_be_read_in_the_clear() -> None:
    of = Foreign()
    flag("listen-metrics-urls", "http://0.0.0.0:2381")(of)
    assert said("etcd-client-tls", of) == []


def test_a_url_whose_machine_a_variable_names_is_undecided_and_hides_no_fault() -> None:
    of = Foreign()
    flag("listen-client-urls", quoted("http://$(hostname),http://10.0.1.1:2379"))(of)
    assert [type(each) for each in said("etcd-client-tls", of)] == [Violation, Undecided]


@pytest.mark.parametrize("url", ["https://10.0.1.1:2379", "HTTPS://10.0.1.1", " https://10.0.1.1:2380"])
def test_events_on_a_machine_of_the_main_cluster_are_seen_however_its_url_is_written(url: str) -> None:
    of = Foreign()
    server("etcd-servers", quoted(f"https://10.0.1.2:2379, {url}"))(of)
    server("etcd-servers-overrides", "/events#https://10.0.1.1:2379")(of)
    assert [each.value for each in said("etcd-events-apart", of) if isinstance(each, Violation)] == [
        "10.0.1.1 has both"
    ]
