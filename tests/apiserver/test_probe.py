"""What a load balancer asks."""

from urllib.parse import parse_qs, urlsplit

from kilonode.apiserver.flags import etcd_overrides
from kilonode.apiserver.probe import PROBE
from tests.apiserver.test_flags import rows
from tests.plans import plan


def test_the_etcds_of_single_resources_take_no_server_out_and_main_does() -> None:
    most = plan(etcd=rows("main", "events", "leases"))
    asked = urlsplit(PROBE)
    assert asked.path == "/readyz"
    assert parse_qs(asked.query) == {
        "exclude": [
            f"{check}-{index}"
            for index in range(len(etcd_overrides(most).split(",")))
            for check in ("etcd-override", "etcd-override-readiness")
        ]
    }
