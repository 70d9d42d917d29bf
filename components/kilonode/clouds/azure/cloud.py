"""The Azure cloud: a region's machines as virtual machines and scale sets, through pulumi-azure-native."""

from collections.abc import Sequence

import pulumi
import pulumi_azure_native as azure

from kilonode.boot.machine import BootData
from kilonode.clouds.azure import boots, identity, preloads
from kilonode.clouds.azure.generation import PLACEHOLDER
from kilonode.clouds.azure.image import image
from kilonode.clouds.azure.joining import joining
from kilonode.clouds.azure.load_balancer import LoadBalancer
from kilonode.clouds.azure.machine import interface, virtual_machine
from kilonode.clouds.azure.machine_files import AzureFacts, on_azure
from kilonode.clouds.azure.network import Network
from kilonode.clouds.azure.node_pool import ROLE as NODE
from kilonode.clouds.azure.node_pool import scale_set
from kilonode.clouds.azure.place import Place
from kilonode.clouds.azure.plan import AzurePlan, plan_azure
from kilonode.clouds.azure.secrets import Secrets, secret_name, vault_name
from kilonode.clouds.azure.sets import waves
from kilonode.clouds.azure.storage import Storage
from kilonode.clouds.contract import Needs, PoolNeeds
from kilonode.clouds.operator import OPERATOR, operator_files
from kilonode.machines.plan import FixedMachine
from kilonode.nodes.images import PreloadedImage
from kilonode.nodes.plan import MachinePoolPlan
from kilonode.pki.kinds import Credential
from kilonode.region.plan import RegionPlan


def make(plan: RegionPlan) -> "AzureCloud":
    """The Azure cloud of a region."""
    return AzureCloud(plan_azure(plan))


class AzureCloud:
    """Makes a region's machines on Azure."""

    def __init__(self, plan: AzurePlan) -> None:
        self._plan = plan
        self._backends: dict[str, pulumi.Output[str]] = {}
        """Pools of the load balancer by the subnet whose machines join them."""

        self._waves = waves(each for pool in plan.pools for each in pool.sets)
        self._sets: dict[str, azure.compute.VirtualMachineScaleSet] = {}

    def network(self, opts: pulumi.ResourceOptions) -> pulumi.Resource:
        """The group and the networks, and what machines need beside them: the vault, the storage account, the image."""
        self._place = Place(self._plan, opts)
        self._network = Network(self._place, opts)
        self._secrets = Secrets(self._place, opts)
        self._storage = Storage(self._place, opts)
        self._image = image(self._place, opts)
        return self._network

    def fixed_machine(self, machine: FixedMachine, needs: Needs, opts: pulumi.ResourceOptions) -> pulumi.Resource:
        """The machine with its interface, its identity and its secret; etcd's are protected, as their disks are local."""
        own, place = self._plan.machine(machine.name), self._place
        who = identity.identity(place, machine.name, machine.role, opts)
        secret, name = self._secrets.keep(machine.name, needs.secrets, opts)
        before: list[pulumi.Resource] = [secret, self._secrets.readable(machine.name, secret, who, opts)]
        marks = snapshots = ""
        if needs.cluster:
            cluster = self._cluster(needs.cluster)
            before += self._storage.grants(cluster, machine.name, who, opts)
            marks, snapshots = (self._storage.url(each) for each in (self._plan.marks[cluster], self._plan.snapshots))
        disk, own_id = boots.disk(own.size, needs.disk), boots.identity_path(place.group, machine.name)
        boot = pulumi.Output.all(self._secrets.vault, name).apply(
            lambda at: on_azure(
                needs.boot,
                AzureFacts(boots.vault_url(at[0]), at[1], own_id, disk=disk, marks=marks, snapshots=snapshots),
            )
        )
        subnet = self._network.subnets[own.subnet.name]
        backends = [self._backends[own.subnet.name]] if own.subnet.name in self._backends else []
        made: pulumi.Resource = virtual_machine(
            place,
            own,
            image=self._image,
            boot=boot,
            nic=interface(place, own, subnet, backends, opts),
            who=who,
            protect=needs.disk is not None,
            opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[*before, *needs.after])),
        )
        return made

    def api_endpoint(self, opts: pulumi.ResourceOptions) -> pulumi.Resource:
        """The load balancer, which every machine in the API servers' subnet joins."""
        subnet = self._network.subnets[self._plan.load_balancer.subnet.name]
        balancer = LoadBalancer(self._place, subnet, opts)
        self._backends = {
            self._plan.machine(each.name).subnet.name: balancer.backend for each in self._plan.region.api_servers
        }
        made: pulumi.Resource = balancer.resource
        return made

    def preloaded(self, pool: MachinePoolPlan) -> tuple[PreloadedImage, ...]:
        """The images in the machine image, by the names the pool gives them."""
        return preloads.preloaded(pool.spec)

    def node_boot(self, pool: MachinePoolPlan, boot: BootData) -> BootData:
        """``boot`` with Azure's rows; the vault's and the secret's names are as long as in earnest."""
        own = self._plan.pool(pool.spec.name)
        return boots.pool_boot(self._plan, own, boot, self._vault_placeholder(), secret_name(own.secret, PLACEHOLDER))

    def joining(self, pool: MachinePoolPlan) -> Sequence[Credential]:
        """One credential for the pool."""
        return joining(self._plan.pool(pool.spec.name))

    def node_pool(self, pool: MachinePoolPlan, needs: PoolNeeds, opts: pulumi.ResourceOptions) -> pulumi.Resource:
        """The pool's scale sets, its identity and its secret; returns the last set."""
        own, place = self._plan.pool(pool.spec.name), self._place
        who = identity.identity(place, own.identity, NODE, opts)
        secret, name = self._secrets.keep(own.secret, needs.secrets, opts)
        reads = self._secrets.readable(own.secret, secret, who, opts)
        boot = pulumi.Output.all(self._secrets.vault, name).apply(
            lambda at: boots.pool_boot(self._plan, own, needs.boot, at[0], at[1])
        )
        for each in own.sets:
            after = pulumi.ResourceOptions(
                depends_on=[secret, reads, *(self._sets[name] for name in self._waves[each.name])]
            )
            self._sets[each.name] = scale_set(
                place,
                own,
                each,
                image=own.azure.image.id if own.azure.image else self._image,
                boot=boot,
                subnet=self._network.subnets[own.subnet.name],
                who=who,
                opts=pulumi.ResourceOptions.merge(opts, after),
            )
        last: pulumi.Resource = self._sets[own.sets[-1].name] if own.sets else secret
        return last

    def operator(self, secrets: pulumi.Output[dict[str, str]], opts: pulumi.ResourceOptions) -> pulumi.Output[str]:
        """The operator's credentials with a kubeconfig, as a secret no machine may read; returns its id."""
        files = secrets.apply(lambda issued: operator_files(self._plan.region.endpoint, issued))
        kept, _ = self._secrets.keep(f"{self._plan.name}-{OPERATOR}", files, opts)
        where: pulumi.Output[str] = kept.id
        return where

    def _cluster(self, name: str) -> str:
        """The cluster's name in its region, from that by which its members know it."""
        return next(each.spec.name for each in self._plan.region.etcd if each.name == name)

    def _vault_placeholder(self) -> str:
        return vault_name(self._plan.key_vault, PLACEHOLDER, given=self._plan.cloud.key_vault.name is not None)
