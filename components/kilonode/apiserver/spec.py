"""The API servers of a region as a person writes them."""

from typing import Annotated

from pydantic import Field

from kilonode.spec import Spec

COUNT_MAX = 9
"""kilonode's: a bound against slips; five served 7,500 nodes (2021 post)."""

IN_FLIGHT_MAX = 20_000
"""kilonode's: a bound against slips; the largest step of the size table has 3,000."""

EVENT_TTL_MAX = 24 * 60
"""Minutes; Events that live longer only fill their etcd (2018 post)."""


class ApiServersSpec(Spec):
    """The dedicated machines that run kube-apiserver, kube-controller-manager and kube-scheduler."""

    count: Annotated[int, Field(ge=1, le=COUNT_MAX)] = 5
    """Five (2021 post); one is for trials only, its restart is an outage; each one more reads all of etcd again."""

    max_requests_inflight: Annotated[int, Field(ge=400, le=IN_FLIGHT_MAX)] | None = None
    """Reads that one server answers at once; by the ceiling where it is left out, and never below the program's own 400."""

    max_mutating_requests_inflight: Annotated[int, Field(ge=200, le=IN_FLIGHT_MAX)] | None = None
    """The same of writes; never below the program's own 200."""

    event_ttl_minutes: Annotated[int, Field(ge=5, le=EVENT_TTL_MAX)] = 60
    """How long an Event is kept: an hour is the program's default, a day the most."""
