"""Pods of a benchmark: made, waited for, removed. Times are as a user of the API sees them."""

import time
from collections.abc import Mapping
from typing import Any

from kilonode.nodes.labels import POOL_LABEL
from ops.ready import OK, Region

PODS = "/api/v1/namespaces/default/pods"
EVENTS = "/api/v1/namespaces/default/events"
LABEL = "kilonode.example.com/set"
POLL = 0.05  # seconds; the times below are no finer
CREATED = 201


class PodError(RuntimeError):
    """Pods did not come to where they should be; the text says how far they came."""


class PodSet:
    """Pods of one pool, one for each image, that run until they are removed."""

    def __init__(self, region: Region, name: str, pool: str, images: Mapping[str, str]) -> None:
        self._region, self.name, self._pool = region, name, pool
        self._images = {f"{name}-{key}": image for key, image in images.items()}
        self.created = 0.0
        """When the first one was asked for, on the monotonic clock."""

    def create(self) -> None:
        """Ask for them all."""
        self.created = time.monotonic()
        for name, image in self._images.items():
            answer = self._region.api.call(self._url(PODS), "POST", self._manifest(name, image))
            if answer.status != CREATED:
                raise PodError(f"{name}: {answer.status} {answer.text[:300]}")

    def wait_running(self, seconds: float) -> float:
        """Wait until the containers of all run; seconds since :meth:`create`.

        Raises:
            PodError: with their states, when they do not in time.
        """
        end = self.created + seconds
        while True:
            states = self._states()
            now = time.monotonic()
            if len(states) == len(self._images) and all("running" in state for state in states.values()):
                return now - self.created
            if now > end:
                raise PodError(f"{self.name}: not running after {seconds:.0f} s: {states}")
            time.sleep(POLL)

    def failed_pulls(self) -> list[str]:
        """What kubelet has said of pulls that ended badly, once for each kind of fault."""
        fields = "reason=Failed,involvedObject.kind=Pod"
        events = self._get(f"{EVENTS}?fieldSelector={fields}")
        own = [event for event in events if event["involvedObject"]["name"] in self._images]
        return [event["message"] for event in own if event["message"].startswith("Failed to pull image")]

    def remove(self) -> None:
        """Remove them and wait until they are gone."""
        for name in self._images:
            self._region.api.call(self._url(f"{PODS}/{name}?gracePeriodSeconds=0"), "DELETE")
        while self._listed():
            time.sleep(POLL)

    def _states(self) -> dict[str, dict[str, Any]]:
        return {
            pod["metadata"]["name"]: status["state"]
            for pod in self._listed()
            for status in pod["status"].get("containerStatuses", [])
        }

    def _listed(self) -> list[dict[str, Any]]:
        return self._get(f"{PODS}?labelSelector={LABEL}={self.name}")

    def _get(self, path: str) -> list[dict[str, Any]]:
        answer = self._region.api.call(self._url(path))
        if answer.status != OK:
            raise PodError(f"GET {path}: {answer.status} {answer.text[:300]}")
        items: list[dict[str, Any]] = answer.json()["items"]
        return items

    def _url(self, path: str) -> str:
        return f"{self._region.plan.endpoint}{path}"

    def _manifest(self, name: str, image: str) -> dict[str, Any]:
        container = {
            "name": "main",
            "image": image,
            "imagePullPolicy": "IfNotPresent",
            "command": ["/bin/busybox", "sleep", "86400"],
        }
        return {
            "metadata": {"name": name, "labels": {LABEL: self.name}},
            "spec": {
                "nodeSelector": {POOL_LABEL: self._pool},
                "containers": [container],
                "automountServiceAccountToken": False,
                "terminationGracePeriodSeconds": 0,
            },
        }
