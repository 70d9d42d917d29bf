"""The API servers of a region as a person writes them."""

from typing import Annotated

from pydantic import Field

from kilonode.spec import Spec

COUNT_MAX = 9


class ApiServersSpec(Spec):
    """The dedicated machines that run kube-apiserver, kube-controller-manager and kube-scheduler."""

    count: Annotated[int, Field(ge=1, le=COUNT_MAX)] = 5
    """Five (2021 post); one is for trials only, its restart is an outage; each one more reads all of etcd again."""
