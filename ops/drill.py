"""`make drill`: an API server and an etcd member are killed while a client reads and writes, and the gaps are timed."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from kilonode.clouds.local.host.inside import run_in
from ops.etcdctl import etcdctl, member_ids
from ops.ready import OK, Region
from ops.stack import Stack

GAP_LIMIT = 5.0  # seconds without a success, promised
STEADY = 3.0  # seconds the client runs before the blow
BACK = 300.0  # seconds the killed program has to come back
REQUEST = 2.0  # seconds a client waits for an answer
PAUSE = 0.02  # seconds between requests


class DrillError(RuntimeError):
    """The region did not stand the drill."""


@dataclass
class Load:
    """Reads and writes one ConfigMap through the load balancer until told to stop."""

    region: Region
    stop: threading.Event = field(default_factory=threading.Event)
    successes: dict[str, list[float]] = field(default_factory=lambda: {"read": [], "write": []})
    failures: int = 0
    span: list[float] = field(default_factory=list)
    """When the client began and, once it has ended as it should, when it ended."""

    def run(self) -> None:
        """Alternate writes and reads."""
        self.span = [time.monotonic()]
        base = f"{self.region.plan.endpoint}/api/v1/namespaces/default/configmaps"
        name, number = "kilonode-drill", 0
        self.region.api.call(base, "POST", {"metadata": {"name": name}})
        while not self.stop.is_set():
            number += 1
            body = {"metadata": {"name": name}, "data": {"number": str(number)}}
            self._one("write", lambda body=body: self.region.api.call(f"{base}/{name}", "PUT", body, REQUEST).status)  # type: ignore[misc]
            self._one("read", lambda: self.region.api.call(f"{base}/{name}", timeout=REQUEST).status)
            time.sleep(PAUSE)
        self.span.append(time.monotonic())
        self.region.api.call(f"{base}/{name}", "DELETE")

    def _one(self, kind: str, request: Callable[[], int]) -> None:
        if request() == OK:
            self.successes[kind].append(time.monotonic())
        else:
            self.failures += 1

    def longest_gap(self, kind: str) -> float:
        """Longest time without a success, in seconds, from the client's begin to its end.

        Raises:
            DrillError: when the client did not reach its end, so that nothing is known.
        """
        if len(self.span) != 2:  # noqa: PLR2004 - begin and end
            raise DrillError("the client ended before its time; its gaps say nothing")
        begin, end = self.span
        times = [begin, *self.successes[kind], end]
        return max(later - earlier for earlier, later in pairwise(times))


def kill_under_load(region: Region, machine: str, program: str, back: Callable[[], bool]) -> str:
    """Kill ``program`` on ``machine`` with -9 while a client works; the longest gaps.

    Raises:
        DrillError: when a gap is longer than promised, or the program stays away.
    """
    load = Load(region)
    thread = threading.Thread(target=load.run)
    thread.start()
    try:
        _until(lambda: len(load.successes["write"]) > 1, BACK, "the client's first writes")
        time.sleep(STEADY)
        before = _pid(region, machine, program)
        begin = time.monotonic()
        run_in(region.plan.spec.name, machine, ["kill", "-9", before])
        _until(lambda: _pid(region, machine, program) not in ("", before) and back(), BACK, f"{program} on {machine}")
        away = time.monotonic() - begin
        time.sleep(STEADY)
    finally:
        load.stop.set()
        thread.join()
    gaps = {kind: load.longest_gap(kind) for kind in load.successes}
    text = (
        f"{program} on {machine} killed: back after {away:.1f} s; longest gap: read {gaps['read']:.2f} s, "
        f"write {gaps['write']:.2f} s; {load.failures} requests failed of "
        f"{load.failures + sum(map(len, load.successes.values()))}"
    )
    if max(gaps.values()) > GAP_LIMIT:
        raise DrillError(f"{text}; the limit is {GAP_LIMIT:.0f} s")
    return text


def drill(stack: Stack) -> None:
    """Kill one API server, then the leader of ``main``, and print the gaps.

    Raises:
        NotReadyError: when the region is not up.
        DrillError: when a gap is longer than promised, or what was killed stays away.
    """
    region = Region(stack)
    region.require_up()
    server = region.plan.api_servers[-1]
    print(kill_under_load(region, server.name, "kube-apiserver", lambda: region.api_servers().complete), flush=True)
    print(kill_under_load(region, leader(region), "etcd", lambda: region.members().complete), flush=True)


def leader(region: Region) -> str:
    """The leader of ``main``: the member whose death costs an election."""
    main = region.plan.main
    ids = {name: int(number, 16) for name, number in member_ids(region, main).items()}

    seen: list[str] = []

    def led() -> bool:
        """Whether there is one; there is none while members vote."""
        status = etcdctl(region, main.client_urls, "endpoint", "status")[0]["Status"]
        seen.extend(name for name, number in ids.items() if number == status["leader"])
        return bool(seen)

    _until(led, BACK, f"a leader of {main.name}")
    return seen[0]


def _pid(region: Region, machine: str, program: str) -> str:
    unit = f"{program}.service"
    shown = run_in(region.plan.spec.name, machine, ["systemctl", "show", "--property=MainPID", "--value", unit])
    return shown.stdout.strip().removeprefix("0")


def _until(ready: Callable[[], bool], seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise DrillError(f"{what}: not there after {seconds:.0f} s")
        time.sleep(0.1)
