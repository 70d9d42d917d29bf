"""The table of tools: what each is, how it is built and how a copy on PATH is judged.

A tool's modules are locked by the go.mod and go.sum in `modules/<name>/`; a row holds what those two files cannot.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

KUBERNETES: Final = "k8s.io/kubernetes/cmd"
KUBERNETES_VERSION: Final = "k8s.io/component-base/version"
PULUMI_SDK: Final = "github.com/pulumi/pulumi/sdk/v3"
KWOK: Final = "sigs.k8s.io/kwok"
CONTAINERD: Final = "github.com/containerd/containerd/v2"
CONTAINERD_17: Final = "github.com/containerd/containerd"
CRANE: Final = "github.com/google/go-containerregistry/cmd/crane"
PAUSE: Final = "kilonode.dev/toolchain/pause"


@dataclass(frozen=True)
class Program:
    """A program of a tool.

    `package` is the Go package it is built from, None when it is a file rather than a build.
    `probe` is the arguments that make it print its version, None when its presence is enough.
    """

    name: str
    package: str | None
    probe: tuple[str, ...] | None


@dataclass(frozen=True)
class ModuleFile:
    """A file taken from a Go module of the tool: `sources`, joined as YAML documents when there are several."""

    module: str
    sources: tuple[str, ...]
    target: str
    executable: bool


@dataclass(frozen=True)
class OwnFolder:
    """A folder of this package whose Python files are installed with the tool under `target`."""

    name: str
    target: str


@dataclass(frozen=True)
class OwnProgram:
    """A script of this package, installed in the tool's bin folder under the file's own name."""

    source: str


@dataclass(frozen=True)
class Tool:
    """One row: a tool at one version.

    A copy on PATH is taken instead when all its programs lie in one folder and each one asked answers with the row's
    major and minor version, or, where `newer_minor` holds, a later minor one; never with an older patch than the row's.
    """

    name: str
    version: tuple[int, int, int]
    programs: tuple[Program, ...]
    stamps: tuple[tuple[str, str], ...] = ()
    files: tuple[ModuleFile | OwnFolder | OwnProgram, ...] = ()
    newer_minor: bool = False
    # Go's build tags. The digest sees them in the build's flags.
    tags: tuple[str, ...] = field(default=(), repr=False)

    @property
    def version_text(self) -> str:
        """The version without a leading v."""
        return ".".join(map(str, self.version))

    @property
    def data(self) -> tuple[str, ...]:
        """The data files that come with the tool, relative to its folder."""
        return tuple(f.target for f in self.files if isinstance(f, ModuleFile) and f.target.startswith("share/"))


ETCD: Final = Tool(
    name="etcd",
    version=(3, 7, 3),
    programs=(
        Program("etcd", "go.etcd.io/etcd/server/v3", ("--version",)),
        Program("etcdctl", "go.etcd.io/etcd/etcdctl/v3", ("version",)),
        Program("etcdutl", "go.etcd.io/etcd/etcdutl/v3", ("version",)),
    ),
)

KUBERNETES_TOOL: Final = Tool(
    name="kubernetes",
    version=(1, 37, 2),
    programs=(
        Program("kube-apiserver", f"{KUBERNETES}/kube-apiserver", ("--version",)),
        Program("kube-controller-manager", f"{KUBERNETES}/kube-controller-manager", ("--version",)),
        Program("kube-scheduler", f"{KUBERNETES}/kube-scheduler", ("--version",)),
        Program("kubectl", f"{KUBERNETES}/kubectl", ("version", "--client")),
        Program("kubelet", f"{KUBERNETES}/kubelet", ("--version",)),
        Program("kube-proxy", f"{KUBERNETES}/kube-proxy", ("--version",)),
    ),
    # The source carries placeholders; without these the programs call themselves v0.0.0-master.
    stamps=(
        (f"{KUBERNETES_VERSION}.gitVersion", "v1.37.2"),
        (f"{KUBERNETES_VERSION}.gitMajor", "1"),
        (f"{KUBERNETES_VERSION}.gitMinor", "37"),
        (f"{KUBERNETES_VERSION}.gitTreeState", "clean"),
    ),
)

PULUMI: Final = Tool(
    name="pulumi",
    version=(3, 274, 1),
    programs=(
        Program("pulumi", "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi", ("version",)),
        Program("pulumi-language-python", None, None),
        Program("pulumi-language-python-exec", None, None),
        Program("pulumi-resource-pulumi-python", None, None),
    ),
    stamps=((f"{PULUMI_SDK}/go/common/version.Version", "3.274.1"),),
    files=(
        # Python's language host is not published as a module, so this package brings its own.
        OwnFolder("language_host", "lib/language_host"),
        OwnProgram("launchers/pulumi-language-python"),
        OwnProgram("launchers/pulumi-resource-pulumi-python"),
        ModuleFile(
            PULUMI_SDK,
            ("python/cmd/pulumi-language-python-exec",),
            "bin/pulumi-language-python-exec",
            executable=True,
        ),
        ModuleFile(
            PULUMI_SDK,
            ("python/dist/pulumi-resource-pulumi-python",),
            "lib/pulumi-resource-pulumi-python",
            executable=True,
        ),
    ),
    # An engine serves every older SDK of its major version.
    newer_minor=True,
)

KWOK_TOOL: Final = Tool(
    name="kwok",
    version=(0, 8, 0),
    programs=(
        Program("kwok", f"{KWOK}/cmd/kwok", ("--version",)),
        Program("kwokctl", f"{KWOK}/cmd/kwokctl", ("--version",)),
    ),
    files=(
        # kwok simulates nothing without stages: nodes become ready and renew leases, pods run and complete.
        ModuleFile(
            KWOK,
            (
                "kustomize/stage/node/fast/node-initialize.yaml",
                "kustomize/stage/node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
                "kustomize/stage/pod/fast/pod-ready.yaml",
                "kustomize/stage/pod/fast/pod-complete.yaml",
                "kustomize/stage/pod/fast/pod-delete.yaml",
            ),
            "share/stages.yaml",
            executable=False,
        ),
    ),
)

CONTAINERD_TOOL: Final = Tool(
    name="containerd",
    version=(2, 4, 2),
    programs=(
        Program("containerd", f"{CONTAINERD}/cmd/containerd", ("--version",)),
        Program("containerd-shim-runc-v2", f"{CONTAINERD}/cmd/containerd-shim-runc-v2", ("-v",)),
        Program("ctr", f"{CONTAINERD}/cmd/ctr", ("--version",)),
    ),
    stamps=((f"{CONTAINERD}/version.Version", "v2.4.2"),),
    # Nodes use none of these snapshotters; without them it needs no C library.
    tags=("no_btrfs", "no_devmapper", "no_zfs"),
)

# The line that clouds' own machine images bring: only its reading of our configuration is of interest. Its program
# has a name of its own, so that the tool's folder on PATH hides no containerd.
CONTAINERD_17_TOOL: Final = Tool(
    name="containerd-1.7",
    version=(1, 7, 35),
    programs=(Program("containerd-1.7", f"{CONTAINERD_17}/cmd/containerd", ("--version",)),),
    stamps=((f"{CONTAINERD_17}/version.Version", "v1.7.35"),),
    tags=("no_btrfs", "no_devmapper", "no_zfs"),
)

COREDNS: Final = Tool(
    name="coredns",
    version=(1, 15, 0),
    programs=(Program("coredns", "github.com/coredns/coredns", ("-version",)),),
)

CRANE_TOOL: Final = Tool(
    name="crane",
    version=(0, 22, 1),
    programs=(Program("crane", CRANE, ("version",)),),
    stamps=((f"{CRANE}/cmd.Version", "0.22.1"),),
)

PAUSE_TOOL: Final = Tool(
    name="pause",
    version=(1, 0, 0),
    programs=(Program("pause", PAUSE, ("-v",)),),
    stamps=(("main.version", "1.0.0"),),
)

TOOLS: Final[dict[str, Tool]] = {
    tool.name: tool
    for tool in (
        ETCD,
        KUBERNETES_TOOL,
        PULUMI,
        KWOK_TOOL,
        CONTAINERD_TOOL,
        CONTAINERD_17_TOOL,
        COREDNS,
        CRANE_TOOL,
        PAUSE_TOOL,
    )
}
