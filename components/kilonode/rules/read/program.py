"""A program of a machine, with what is known of its settings from wherever they stand."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kilonode.rules.facts.machines import Options
from kilonode.rules.unknown import Partial
from kilonode.rules.urls import listed, port


@dataclass
class Program:
    """A program; ``elsewhere`` is where settings stand that are not in user data, and ``hidden`` which those may be."""

    name: str
    options: dict[str, str] = field(default_factory=dict)
    elsewhere: str | None = None
    hidden: set[str] | None = field(default_factory=set)
    several: set[str] = field(default_factory=set)
    """Settings that two of it on one machine have differently: these are told of neither."""

    starts: list[Mapping[str, str]] = field(default_factory=list)
    """Settings of each command line that starts it."""

    files: list[Mapping[str, str]] = field(default_factory=list)
    """Those of each file."""

    @property
    def each(self) -> str:
        """What nobody can tell of several."""
        return f"the settings of each {self.name} (there are several)"

    def hide(self, where: str, names: Iterable[str] | None = None) -> None:
        """Some settings, or any, stand at a place that cannot be read."""
        self.elsewhere = self.elsewhere if self.elsewhere and names is not None else where
        self.hidden = None if names is None or self.hidden is None else self.hidden | set(names)

    def start(self, given: Mapping[str, str]) -> None:
        """A command line starts it with these settings; it may be another one, or the same one in another case."""
        if self.starts:
            self.several |= _differing(self.options, given)
        self.options |= given
        self.starts.append(given)

    def together(self, files: Iterable[Mapping[str, str]]) -> dict[str, str]:
        """Settings of several files. Where one contradicts another they are of several, which have only in common what is alike."""
        merged: dict[str, str] = {}
        for each in files:
            if any(merged.get(name, value) != value for name, value in each.items()):
                self.several |= _differing(merged, each) - self.options.keys()
            merged |= each
            self.files.append(each)
        return merged

    @property
    def serving(self) -> tuple[frozenset[str], ...]:
        """Of etcd: the URLs for clients of each, where several are surely not one, as each has its own folder and ports; else of all."""
        apart: list[tuple[set[str], set[str]]] = []
        for each in self.starts or self.files:
            urls, folder = _clients(each), each.get("data-dir", "$")
            own = next((group for group in apart if _one(urls, folder, group)), None)
            if own is None:
                apart.append((urls, {folder}))
            else:
                own[0].update(urls)
                own[1].add(folder)
        return tuple(frozenset(urls) for urls, _ in apart if urls)

    def told(self) -> Options:
        """What is known, and what is not."""
        if self.several:
            self.hide(self.each, self.several)
        known = {name: value for name, value in self.options.items() if name not in self.several}
        return Partial(known, self.elsewhere, self.hidden) if self.elsewhere else known


def _clients(options: Mapping[str, str]) -> set[str]:
    return {url for name in ("advertise-client-urls", "listen-client-urls") for url in listed(options.get(name, ""))}


def _one(urls: set[str], folder: str, group: tuple[set[str], set[str]]) -> bool:
    """Whether this may be one with a group: with a folder or a port of theirs, or some that nobody can tell."""
    theirs, folders = group
    ports, others = {*map(port, urls)}, {*map(port, theirs)}
    unknown = None in ports | others or "$" in "".join({folder, *folders})
    return unknown or folder in folders or not ports.isdisjoint(others)


def _differing(one: Mapping[str, str], other: Mapping[str, str]) -> set[str]:
    return {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
