"""Wherever in user data that is a secret a text stands, no rule's finding has it: neither of what is wrong nor of what is not known."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from kilonode.rules import shown
from kilonode.rules.facts.stack import Unread
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import sealed
from kilonode.rules.registry import BY_ID, RULES
from kilonode.rules.rule import Undecided
from tests.rules.foreign import Foreign
from tests.rules.foreign_flags import member_flags, server_flags

CANARY = "hunter2"
FORMS = (CANARY, f"${CANARY}", f"http://${CANARY}:1", f"'x {CANARY} y'")
NAMES = ("config-file", "config", "config-dir", "authentication-config")
"""Flags that name a file."""


def findings(of: Foreign) -> Iterator[object]:
    rows = [replace(each, properties=sealed(each.properties)) for each in of.resources()]
    facts = read_facts(rows)
    for rule in RULES:
        yield from rule.check(facts)


def with_text(form: str) -> Iterator[Foreign]:
    """The stack with the text in one place, over and over."""
    for flag in (*member_flags(1, 1, 1), *NAMES, form):
        of = Foreign()
        of.members[1, 1][flag] = form
        yield of
    for flag in (*server_flags(), *NAMES, form):
        of = Foreign()
        of.servers[1][flag] = form
        yield of
    for key in (*Foreign().kubelet, form):
        of = Foreign()
        of.kubelet[key] = form
        yield of
    for command in ("chmod {} /var/lib/etcd/data", "chown {} /var/lib/etcd/data", "etcd {}", "kube-apiserver {}"):
        of = Foreign()
        of.member_commands.append(command.format(form))
        yield of
    of = Foreign()
    for key in of.members:
        of.members[key]["quota-backend-bytes"] = form if key != (1, 1) else "1"
    yield of


@pytest.mark.parametrize("form", FORMS)
def test_no_finding_has_a_text_of_user_data_that_is_a_secret(form: str) -> None:
    found = [each for of in with_text(form) for each in findings(of)]
    assert [each for each in found if CANARY in f"{each} {each!r}"] == []
    assert found


def test_what_is_wrong_with_a_secret_is_told_all_the_same() -> None:
    of = Foreign()
    of.members[1, 1]["quota-backend-bytes"] = f"${CANARY}"
    assert {str(each) for each in findings(of) if each.rule == "etcd-quota"} == {  # type: ignore[attr-defined]
        f"undecided: what {shown.HIDDEN} holds of urn:pulumi:prod::foreign::azure-native:compute/v20240301:VirtualMachine::etcd-1-1 "
        "is not known yet; judged when it is"
    }


@pytest.mark.parametrize(
    ("field", "hidden"),
    [
        ("what $x y holds", "what [secret] holds"),
        ("config-file /x", "config-file [secret]"),
        ("kubeadm's own settings", "kubeadm's own settings"),
        ("sku.capacity, which x leaves", "sku.capacity, which [secret] leaves"),
        ("storageProfile.dataDisks[0].caching", "storageProfile.dataDisks[0].caching"),
        ("what config-file's 'x' (x) says", "what [secret]"),
        ("$x holds", "[secret] holds"),
        ("/x", "[secret]"),
        ("the number of nodes (their pools are not in this stack)", "the number of nodes (their pools are not in this stack)"),
    ],
)  # fmt: skip
def test_of_a_field_only_a_name_and_the_rules_own_words_are_no_secret(field: str, hidden: str) -> None:
    assert shown.field(field, sealed=True) == hidden
    assert shown.field(field, sealed=False) == field


def test_what_kind_of_machine_a_secret_makes_is_not_shown_while_that_is_not_known() -> None:
    unread = Unread("urn", f"what ${CANARY} holds")
    rule = replace(BY_ID["etcd-quota"], over=lambda _: (unread,))
    facts = Foreign().facts()
    assert [*rule.check(facts)] == [Undecided(rule.id, "urn", unread.field)]
    assert [*rule.check(replace(facts, sealed=frozenset({"urn"})))] == [
        Undecided(rule.id, "urn", f"what {shown.HIDDEN} holds")
    ]


def test_a_password_in_a_url_is_not_shown_where_it_is_not_known_either() -> None:
    unread = Unread("urn", f"what https://root:{CANARY}@$HOST listens on")
    (found,) = replace(BY_ID["etcd-quota"], over=lambda _: (unread,)).check(Foreign().facts())
    assert found == Undecided("etcd-quota", "urn", f"what https://{shown.HIDDEN}@$HOST listens on")
