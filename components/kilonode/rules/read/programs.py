"""Which of the cluster's programs a machine starts, and with which settings: from units, scripts, pods and their files."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from kilonode.rules.read.settings import documents, etcd_file, flags, flat, looks_like_etcd
from kilonode.rules.read.text import variables, words

PROGRAMS = (
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubelet",
    "containerd",
)
_UNIT = re.compile(r"/systemd/system/(?P<name>[^/]+\.service)(?P<part>\.d/.+\.conf)?$")
_LINE = re.compile(r"^(?P<key>[A-Za-z]+)\s*=\s*(?P<value>.*)$")
_EXPANDED = re.compile(r"\$\{?(?P<name>\w+)\}?")
Options = dict[str, str]


def programs(files: Mapping[str, str], commands: Iterable[str]) -> tuple[dict[str, Options], list[str]]:
    """Program to its settings, and the command lines of units that start."""
    found: dict[str, Options] = {}
    lines: list[str] = []
    for command, environment in (*_units(files), *((line, {}) for line in commands)):
        lines.append(command)
        _command(words(_expand(command, environment)), environment, found)
    for path, text in files.items():
        for document in documents(path, text):
            _document(document, found)
    _files(files, found)
    return found, lines


def _units(files: Mapping[str, str]) -> list[tuple[str, dict[str, str]]]:
    """Command lines of units that start, each with its environment."""
    texts: dict[str, str] = {}
    for path, text in sorted(files.items(), key=lambda item: ".d/" in item[0]):
        if unit := _UNIT.search(path):
            texts[unit["name"]] = texts.get(unit["name"], "") + "\n" + text
    return [each for name, text in texts.items() for each in _starts(name, text, files)]


def _starts(name: str, text: str, files: Mapping[str, str]) -> list[tuple[str, dict[str, str]]]:
    """The command lines of one unit, none where its condition does not hold."""
    commands: list[str] = []
    environment: dict[str, str] = {}
    for line in text.replace("\\\n", " ").splitlines():
        if not (entry := _LINE.match(line.strip())):
            continue
        key, value = entry["key"], entry["value"].strip()
        if key == "ConditionPathExists" and value.replace("%n", name) not in files:
            return []
        if key == "Environment":
            environment |= dict(word.split("=", 1) for word in words(value) if "=" in word)
        elif key == "EnvironmentFile":
            environment |= variables(files.get(value.lstrip("-"), ""))
        elif key.startswith("Exec"):
            commands.append(value.lstrip("-+!@:"))
    return [(command, environment) for command in commands]


def _expand(command: str, environment: Mapping[str, str]) -> str:
    return _EXPANDED.sub(lambda match: environment.get(match["name"], match[0]), command)


def _command(parts: list[str], environment: Mapping[str, str], found: dict[str, Options]) -> None:
    for position, part in enumerate(parts):
        program = part.rpartition("/")[2]
        after = parts[position + 1 :]
        started = position == 0 or "/" in part or bool(after and after[0].startswith("--"))
        if program in PROGRAMS and started:
            own = found.setdefault(program, {})
            if program == "etcd":
                own |= _etcd_environment(environment)
            own |= flags(after)
            return


def _etcd_environment(environment: Mapping[str, str]) -> Options:
    return {
        name.removeprefix("ETCD_").lower().replace("_", "-"): value
        for name, value in environment.items()
        if name.startswith("ETCD_")
    }


def _document(document: Mapping[str, Any], found: dict[str, Options]) -> None:
    """Static pods, and kubeadm's cluster configuration."""
    if document.get("kind") == "Pod":
        for container in (document.get("spec") or {}).get("containers") or ():
            _command([*map(str, container.get("command") or ()), *map(str, container.get("args") or ())], {}, found)
    if document.get("kind") == "ClusterConfiguration":
        rows = {
            "kube-apiserver": document.get("apiServer"),
            "kube-controller-manager": document.get("controllerManager"),
            "kube-scheduler": document.get("scheduler"),
            "etcd": (document.get("etcd") or {}).get("local"),
        }
        for program, section in rows.items():
            given = (section or {}).get("extraArgs")
            pairs = (
                given.items() if isinstance(given, Mapping) else ((row["name"], row["value"]) for row in given or ())
            )
            if given:
                found.setdefault(program, {}).update({str(key): _text(value) for key, value in pairs})


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _files(files: Mapping[str, str], found: dict[str, Options]) -> None:
    """Settings that lie in files of the programs' own; etcd reads its file alone, and a flag of kubelet wins over its file."""
    for path, text in files.items():
        for document in documents(path, text):
            if looks_like_etcd(document):
                found.setdefault("etcd", {}).update(etcd_file(document))
            elif document.get("kind") == "KubeletConfiguration":
                own = found.get("kubelet", {})
                if not own or own.get("config", path) == path:
                    found["kubelet"] = flat(document) | own
    for text in files.values():
        if "ETCD_INITIAL_CLUSTER=" in text or "ETCD_NAME=" in text:
            found["etcd"] = _etcd_environment(variables(text)) | found.get("etcd", {})
