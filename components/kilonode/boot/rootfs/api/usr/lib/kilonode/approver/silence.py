"""For how long nothing was heard of a node, by this approver's own watch.

A kubelet renews its node's Lease every ten seconds. What counts is that the Lease stayed as it was while this approver
looked at it again and again, not what is written in it: that is by the node's clock, and clocks of machines differ.
"""

from threading import Lock

FORGOTTEN = 60  # seconds without a look after which the watch begins anew; requests that wait are looked at every ten


class Silences:
    """The nodes that are watched, each with the last sign of life and since when it is the last."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._watched: dict[str, tuple[str, float, float]] = {}

    def seconds(self, node: str, sign: str, moment: float) -> float:
        """How long ``sign`` has been the last one of ``node``, as far as was looked; 0 for one that is new."""
        with self._lock:
            last, since, looked = self._watched.pop(node, (sign, moment, moment))
            if last != sign or moment - looked > FORGOTTEN:
                since = moment
            self._watched[node] = sign, since, moment  # the last one: who was not looked at for longest comes first
            while moment - next(iter(self._watched.values()))[2] > FORGOTTEN:
                del self._watched[next(iter(self._watched))]
            return moment - since
