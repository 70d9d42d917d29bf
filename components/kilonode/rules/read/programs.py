"""Which of the cluster's programs a machine starts, and with which settings: from units, scripts, pods and their files."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from kilonode.rules.read import documents, kubeadm
from kilonode.rules.read.program import Program
from kilonode.rules.read.resource import at
from kilonode.rules.read.settings import ENV_FILE, bare, etcd_file, flags, flat, looks_like_etcd, mappings
from kilonode.rules.read.starts import serves, started
from kilonode.rules.read.text import variables
from kilonode.rules.read.units import Command

PROGRAMS = (
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubelet",
    "containerd",
)

Found = dict[str, Program]


def programs(files: Mapping[str, str], commands: Iterable[Command]) -> Found:
    """What a machine with these files starts that runs these commands, by name."""
    found: Found = {}
    parsed = [each for path, content in files.items() for each in mappings(path, content)]
    without = {"etcd"} if any(map(kubeadm.external, parsed)) else set()
    for command in commands:
        _command(command.words, command, found, without)
    for document in parsed:
        _document(document, found)
    _files(files, parsed, found)
    return found


def _command(parts: list[str], command: Command, found: Found, without: Collection[str] = ()) -> None:
    """What a command starts, where kubeadm starts all of its own but ``without``."""
    for program, after in started(parts):
        if program == "kubeadm" and after:
            for name in (each for each in kubeadm.started(after) if each not in without):
                found.setdefault(name, Program(name)).hide("kubeadm's configuration")
        elif program in PROGRAMS and serves(after):
            _start(program, after, command, found.setdefault(program, Program(program)))


def _start(program: str, arguments: list[str], command: Command, own: Program) -> None:
    given = flags(program, arguments)
    if program == "etcd":
        given = _etcd_environment(command.environment) | given
        if command.absent:
            own.hide(f"EnvironmentFile {command.absent}")
    hidden = {name: value for name, value in given.items() if value.startswith("$")}
    own.start({name: value for name, value in given.items() if name not in hidden})
    if variable := bare(arguments):
        own.hide(f"EnvironmentFile {command.absent}" if command.absent else f"what {variable} holds")
    elif hidden:
        own.hide(f"what {next(iter(hidden.values()))} holds", hidden)


def _etcd_environment(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name.removeprefix("ETCD_").lower().replace("_", "-"): value
        for name, value in environment.items()
        if name.startswith("ETCD_")
    }


def _document(document: Mapping[str, Any], found: Found) -> None:
    """Static pods, and kubeadm's cluster configuration."""
    if document.get("kind") == "Pod":
        for container in documents.rows(at(document, "spec.containers")):
            parts = [*documents.rows(at(container, "command")), *documents.rows(at(container, "args"))]
            _command([str(part) for part in parts], Command("", _variables(container)), found)
    if document.get("kind") == "ClusterConfiguration":
        for program, options in kubeadm.flags(document).items():
            own = found.setdefault(program, Program(program))
            own.options |= options
            # What the document does not say, kubeadm does; which settings those are is known.
            own.elsewhere, own.hidden = "kubeadm's own settings", set(kubeadm.OWN[program])


def _variables(container: Any) -> dict[str, str]:
    named = (row for row in documents.rows(at(container, "env")) if isinstance(at(row, "value"), str))
    return {str(at(row, "name")): row["value"] for row in named}


def _files(files: Mapping[str, str], parsed: list[Mapping[str, Any]], found: Found) -> None:
    """Settings that lie in files of the programs' own."""
    etcds, kubelets = [], []
    for document in parsed:
        if looks_like_etcd(document):
            etcds.append(document)
        elif document.get("kind") == "KubeletConfiguration":
            kubelets.append(document)
    if etcds or "etcd" in found:
        _etcd_files(found.setdefault("etcd", Program("etcd")), etcds, files)
    if kubelets or "kubelet" in found:
        _kubelet_files(found.setdefault("kubelet", Program("kubelet")), kubelets, files)
    # A script gives what it starts the variables that it exports.
    texts = [content for content in files.values() if not content.startswith("#!")]
    told = [own for own in map(_etcd_variables, texts) if not _MEMBERS.isdisjoint(own)]
    if told:
        _etcd_environments(found.setdefault("etcd", Program("etcd")), told)


_MEMBERS = frozenset({"name", "initial-cluster"})
"""What a file with variables of etcd says if it makes a member."""


def _etcd_variables(content: str) -> dict[str, str]:
    return _etcd_environment(variables(content)) if "ETCD_" in content else {}


def _etcd_environments(own: Program, told: list[dict[str, str]]) -> None:
    """Files with variables of etcd, which may be one's or several's; what a unit has read of them holds."""
    if "config-file" not in own.options:
        own.options = own.together(told) | own.options


def _etcd_files(own: Program, known: list[Mapping[str, Any]], files: Mapping[str, str]) -> None:
    """A file that is named is read alone; one that is not there may be made of another of user data when etcd starts."""
    if "config-file" in own.several:
        own.hide(own.each)
        return
    path = own.options.get("config-file")
    given = own.options.pop(ENV_FILE, "")
    if given in files:
        own.options = _etcd_variables(files[given]) | own.options
    elif given:
        own.hide(f"{ENV_FILE} {given}")
    named = documents.document(files.get(path or "", ""))
    if path is not None:
        own.options, own.elsewhere, own.hidden = {"config-file": path}, None, set()
    if isinstance(named, Mapping):
        own.options |= etcd_file(named)
        return
    own.options |= own.together([etcd_file(document) for document in known])
    if path is not None and not known:
        own.hide(f"config-file {path}")


def _kubelet_files(own: Program, known: list[Mapping[str, Any]], files: Mapping[str, str]) -> None:
    """A flag wins over the file; without a flag that names it, the file is whichever there is."""
    path, folder = own.options.get("config"), own.options.get("config-dir")
    named = documents.document(files.get(path or "", ""))
    if isinstance(named, Mapping):
        known = [named]
    elif path is not None:
        known = []
        own.hide(f"config {path}")
    for document in known:
        own.options = flat(document) | own.options
    if folder is not None:
        own.hide(f"config-dir {folder}")
