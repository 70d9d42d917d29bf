"""The local cloud: every machine of the region is a systemd-nspawn container on this host."""

from collections.abc import Sequence
from dataclasses import replace
from ipaddress import IPv4Interface

import pulumi

from kilonode.boot.cloudinit import user_data
from kilonode.boot.image import machine_image
from kilonode.boot.machine import BootData, File
from kilonode.boot.secrets import CLUSTER, FOLDER
from kilonode.clouds.contract import Needs, PoolNeeds
from kilonode.clouds.local.archives import preloaded, sources
from kilonode.clouds.local.disk import Disk, SharedFolder
from kilonode.clouds.local.host import paths
from kilonode.clouds.local.host.netns import NetworkSpec
from kilonode.clouds.local.host.nspawn import Bind
from kilonode.clouds.local.image import Image, ImageSpec, describe
from kilonode.clouds.local.machine import Machine
from kilonode.clouds.local.network import Network
from kilonode.clouds.local.node_pool import NodePool
from kilonode.clouds.local.programs import kwok_stages, program
from kilonode.clouds.local.secrets import MachineSecrets
from kilonode.clouds.operator import OPERATOR, operator_files
from kilonode.machines.plan import FixedMachine
from kilonode.nodes.images import PreloadedImage
from kilonode.nodes.plan import MachinePoolPlan
from kilonode.nodes.simulated import STAGES
from kilonode.pki.credentials import pool_credentials
from kilonode.pki.kinds import Credential
from kilonode.region.plan import RegionPlan


def image_spec() -> ImageSpec:
    """The image of every local machine, with the programs found on PATH.

    Raises:
        FileNotFoundError: naming the program that PATH lacks.
    """
    image = machine_image()
    return ImageSpec(
        packages=image.packages,
        files=(*image.files, File(STAGES, kwok_stages())),
        binaries=tuple((path, program(name)) for name, path in image.landings().items()),
    )


def network_spec(plan: RegionPlan) -> NetworkSpec:
    """The region's network as the host makes it."""
    length = plan.range.prefixlen
    gateway, operator = (IPv4Interface(f"{address}/{length}") for address in (plan.gateway, plan.operator))
    return NetworkSpec(plan.spec.name, (plan.range,), gateway, operator)


def make(plan: RegionPlan) -> "LocalCloud":
    """The local cloud of a region."""
    return LocalCloud(plan)


class LocalCloud:
    """Makes a region's machines on this host."""

    def __init__(self, plan: RegionPlan) -> None:
        self._plan = plan
        self._region = plan.spec.name
        self._folders: dict[str, SharedFolder] = {}

    def network(self, opts: pulumi.ResourceOptions) -> pulumi.Resource:
        """The region's namespace and bridge, and the image its machines boot."""
        wanted = network_spec(self._plan)
        self._network = Network(
            f"{self._region}-network",
            region=self._region,
            ranges=[str(block) for block in wanted.ranges],
            gateway=str(wanted.gateway),
            host_address=str(wanted.host_address),
            opts=opts,
        )
        self._spec = image_spec()
        self._image_layers = describe(self._spec)
        self._image = _image(f"{self._region}-image", self._spec, opts)
        return self._network

    def fixed_machine(self, machine: FixedMachine, needs: Needs, opts: pulumi.ResourceOptions) -> pulumi.Resource:
        """The machine, its secrets, and its disk and cluster folder where it needs them."""
        secrets = MachineSecrets(
            f"{machine.name}-secrets", region=self._region, machine=machine.name, files=needs.secrets, opts=opts
        )
        binds = [Bind(str(paths.secrets(self._region, machine.name)), FOLDER, read_only=True)]
        before: list[pulumi.Resource] = [self._network, self._image, secrets, *needs.after]
        if needs.disk:
            kept = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=True))
            before.append(Disk(f"{machine.name}-disk", region=self._region, disk=machine.name, opts=kept))
            binds.append(Bind(str(paths.disk(self._region, machine.name)), needs.disk))
        if needs.cluster:
            before.append(self._cluster_folder(needs.cluster))
            binds.append(Bind(str(paths.shared(self._region, needs.cluster)), CLUSTER))
        return Machine(
            machine.name,
            region=self._region,
            machine=machine.name,
            image=self._image_layers.id,
            layers=[str(layer) for layer in self._image_layers.layers],
            address=f"{machine.address}/{self._plan.range.prefixlen}",
            gateway=str(self._plan.gateway),
            user_data=user_data(needs.boot),
            binds=binds,
            opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=before)),
        )

    def api_endpoint(self, opts: pulumi.ResourceOptions) -> pulumi.Resource:  # noqa: ARG002 - every cloud is asked alike
        """Nothing beside the network: the load balancer is a machine of the plan."""
        return self._network

    def preloaded(self, pool: MachinePoolPlan) -> tuple[PreloadedImage, ...]:
        """The system's own images, made from the programs on PATH, and the pool's, from their archives."""
        return preloaded(pool.spec)

    def node_boot(self, pool: MachinePoolPlan, boot: BootData) -> BootData:  # noqa: ARG002
        """``boot`` as it is."""
        return boot

    def joining(self, pool: MachinePoolPlan) -> Sequence[Credential]:
        """A credential for each planned node, below a folder of its name; the node is given that folder alone."""
        return pool_credentials(pool)

    def node_pool(self, pool: MachinePoolPlan, needs: PoolNeeds, opts: pulumi.ResourceOptions) -> pulumi.Resource:
        """The nodes' machines, and the image they boot: the region's with the container images on top."""
        spec = replace(self._spec, archives=sources(pool.spec, needs.images))
        image = describe(spec)
        made = _image(f"{self._region}-image-{pool.spec.name}", spec, opts)
        after = pulumi.ResourceOptions(depends_on=[self._network, self._image, made])
        return NodePool(
            f"{self._region}-nodes-{pool.spec.name}",
            region=self._region,
            pool=pool.spec.name,
            nodes=[
                {"name": node.name, "address": f"{node.address}/{self._plan.range.prefixlen}", "zone": node.zone}
                for node in pool.nodes
            ],
            image=image.id,
            layers=[str(layer) for layer in image.layers],
            gateway=str(self._plan.gateway),
            user_data=user_data(needs.boot),
            files=needs.secrets,
            secrets_path=FOLDER,
            disk_path=needs.disk,
            opts=pulumi.ResourceOptions.merge(opts, after),
        )

    def operator(self, secrets: pulumi.Output[dict[str, str]], opts: pulumi.ResourceOptions) -> pulumi.Output[str]:
        """The operator's credentials with a kubeconfig, in a root-only folder of the host."""
        files = secrets.apply(lambda issued: operator_files(self._plan.endpoint, issued))
        after = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[self._network]))
        made = MachineSecrets(
            f"{self._region}-operator-secrets", region=self._region, machine=OPERATOR, files=files, opts=after
        )
        return made.folder

    def _cluster_folder(self, cluster: str) -> SharedFolder:
        if cluster not in self._folders:
            self._folders[cluster] = SharedFolder(
                f"{cluster}-marks",
                region=self._region,
                folder=cluster,
                opts=pulumi.ResourceOptions(parent=self._network, depends_on=[self._network]),
            )
        return self._folders[cluster]


def _image(name: str, spec: ImageSpec, opts: pulumi.ResourceOptions) -> Image:
    return Image(
        name,
        packages=list(spec.packages),
        suite=spec.suite,
        files=spec.files,
        binaries=dict(spec.binaries),
        archives=dict(spec.archives),
        opts=opts,
    )
