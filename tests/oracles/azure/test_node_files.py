"""Files of a node that are other on Azure, as its boot data has them, read by the programs they are for."""

import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

from kilonode.nodes import containerd, kubelet, kubeproxy
from kilonode.nodes.boot import KUBELET_FLAGS
from kilonode.nodes.containerd import Line
from tests.clouds.azure import shipped
from tests.oracles import effective
from tests.oracles.effective import Broken, RefusedFileError, as_dumped, leaves, missing

pytestmark = pytest.mark.tools

LINE: Line = "2"
POOLS = [(name, pool.spec.name) for name in (*shipped.STACKS, shipped.LARGEST) for pool in shipped.plan(name).pools]


def text(stack: str, pool: str, path: str) -> str:
    return next(file.content for file in shipped.documents(stack)[pool].all_files if file.path == path)


@pytest.mark.parametrize(("stack", "pool"), POOLS)
def test_kubelet_takes_its_file_and_its_flags_and_every_value_is_in_force(
    stack: str, pool: str, tmp_path: Path
) -> None:
    # The host of this test may have cgroup v1 still; whether kubelet starts there is not the file's matter.
    document = text(stack, pool, kubelet.PATH).replace("failCgroupV1: true", "failCgroupV1: false")
    # FLAGS="--a --b", as systemd takes it apart; where files are, the test says itself.
    flags = shlex.split(text(stack, pool, KUBELET_FLAGS).partition("=")[2].strip().strip('"'))
    own = [flag for flag in flags if flag.startswith(("--node-labels=", "--register-with-taints="))]
    read = effective.kubelet(document, tmp_path, *own)
    assert missing(leaves(yaml.safe_load(document)), read) == set()
    gpus = shipped.plan(stack).pool(pool).azure.type.gpus
    assert ("kubernetes.azure.com/accelerator=nvidia" in read.said) == bool(gpus)


@pytest.mark.parametrize(("stack", "pool"), POOLS)
def test_kube_proxy_knows_pods_by_azure_s_links(stack: str, pool: str, tmp_path: Path) -> None:
    document = text(stack, pool, kubeproxy.PATH)
    read = effective.kube_proxy(document, tmp_path)
    assert missing(leaves(yaml.safe_load(document)), read) == set()
    assert read.leaves["detectLocal.interfaceNamePrefix"] == "azv"


def test_a_broken_copy_is_caught(tmp_path: Path) -> None:
    document = text(*POOLS[0], kubeproxy.PATH)
    with pytest.raises(RefusedFileError, match="InterfacePrefix"):
        effective.kube_proxy(Broken("interfaceNamePrefix:", "interfacePrefix:").of(document), tmp_path)


@pytest.mark.parametrize(("stack", "pool"), POOLS)
def test_containerd_takes_its_file_and_every_value_is_in_force(stack: str, pool: str, tmp_path: Path) -> None:
    document = text(stack, pool, containerd.PATH)
    line: Line = "1.7" if tomllib.loads(document)["version"] == 2 else LINE
    read = effective.containerd(line, document, tmp_path)
    assert missing(as_dumped(line, tomllib.loads(document)), read) == set()
    assert "Ignoring unknown key" not in read.said
