"""etcdctl with the operator's certificate."""

import json
import re
import subprocess
from collections.abc import Sequence
from typing import Any

import toolchain
from kilonode.etcd.plan import EtcdClusterPlan
from ops.ready import Region

TIMEOUT = 120  # seconds


_COUNT = re.compile(r'^"Count" : (\d+)$', re.MULTILINE)


def etcdctl(region: Region, endpoints: Sequence[str], *words: str) -> Any:
    """Run etcdctl against ``endpoints``; its parsed JSON.

    Raises:
        RuntimeError: with etcdctl's last line, when it fails.
    """
    return json.loads(_run(region, endpoints, "json", *words))


def _run(region: Region, endpoints: Sequence[str], form: str, *words: str) -> str:
    folder = region.folder
    command = [
        str(toolchain.locate("etcd") / "etcdctl"),
        f"--write-out={form}",
        f"--endpoints={','.join(endpoints)}",
        f"--cacert={folder / 'etcd-ca.crt'}",
        f"--cert={folder / 'etcd-client.crt'}",
        f"--key={folder / 'etcd-client.key'}",
        *words,
    ]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=TIMEOUT, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise RuntimeError(f"etcdctl {' '.join(words)}: {lines[-1] if lines else done.returncode}")
    return done.stdout


def count(region: Region, cluster: EtcdClusterPlan, prefix: str, at: int = 0) -> int:
    """Keys of ``cluster`` that begin with ``prefix``; all for an empty one. As they are, or were ``at`` a revision."""
    words = ["get", prefix, "--prefix"] if prefix else ["get", "", "--from-key"]
    found = _COUNT.search(_run(region, cluster.client_urls, "fields", *words, "--count-only", f"--rev={at}"))
    return int(found[1]) if found else 0


def revision(region: Region, cluster: EtcdClusterPlan) -> int:
    """The revision ``cluster`` is at."""
    return int(etcdctl(region, cluster.client_urls, "get", "none")["header"]["revision"])


def member_ids(region: Region, cluster: EtcdClusterPlan) -> dict[str, str]:
    """Member name to member id, hexadecimal."""
    listed = etcdctl(region, cluster.client_urls, "member", "list")
    return {member["name"]: f"{member['ID']:x}" for member in listed["members"]}
