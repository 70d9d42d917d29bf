"""What a person writes of Azure: where the region is, what its machines are, and who may reach it."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from kilonode.cloudspec.azure_image import AzureImageSpec, scale_set_limit
from kilonode.cloudspec.azure_machines import api_server_size, etcd_size
from kilonode.cloudspec.azure_names import KeyVaultName, ResourceGroupName, StorageAccountName
from kilonode.cloudspec.azure_reach import Source, check_sources
from kilonode.cloudspec.azure_sizes import SIZES, AzureSize, EtcdSize, Size
from kilonode.cloudspec.azure_tags import Tags
from kilonode.cloudspec.locations import ZONES, Location, Zone
from kilonode.cloudspec.ssh_key import SshKey
from kilonode.limits import AZURE_PEERED_ADDRESSES
from kilonode.nodes.spec import MachinePoolSpec, SimulatedPoolSpec
from kilonode.refusal import refuse
from kilonode.spec import Spec

PEERED_ADDRESSES_MAX = 1_000_000
"""kilonode's: a bound against slips; how far Azure goes, its support says when it raises the limit."""


class AzureEtcdSpec(Spec):
    """What etcd members run on; never spot, never scaled."""

    size: EtcdSize | None = None
    """Their size, with local NVMe disks; by the ceiling where it is left out."""

    members: dict[str, EtcdSize] = Field(default={})
    """Sizes of single members, such as ``main-2``, so that one at a time moves to another size."""


class AzureApiServersSpec(Spec):
    """What API servers run on."""

    size: AzureSize | None = None
    """Their size, with much memory; by the ceiling where it is left out."""


class KeyVaultSpec(Spec):
    """A Key Vault."""

    name: KeyVaultName | None = None
    """Unique among all customers of Azure; from the region's name, group and location where it is left out."""


class StorageSpec(Spec):
    """A storage account."""

    account: StorageAccountName | None = None
    """Unique among all customers of Azure; from the region's name, group and location where it is left out."""


class AzureSettings(Spec):
    """All that is written under ``cloud``; what has to go together with the rest of a region is asked in azure_region.py."""

    kind: Literal["azure"]
    """Where machines come from."""

    location: Location
    """Where all of it is; fixed at birth."""

    zones: Annotated[tuple[Zone, ...], Field(strict=False)] = ZONES
    """The availability zones fixed machines are dealt to, in order; fixed at birth, as addresses follow from it."""

    resource_group: ResourceGroupName | None = None
    """The group that holds everything; the region's name where it is left out."""

    admin_ssh_key: SshKey
    """The public key of whoever may log in to a machine; there are no passwords."""

    image: AzureImageSpec
    """What every machine boots."""

    etcd: AzureEtcdSpec = AzureEtcdSpec()
    """The machines of etcd members."""

    api_servers: AzureApiServersSpec = AzureApiServersSpec()
    """The machines of API servers."""

    key_vault: KeyVaultSpec = KeyVaultSpec()
    """The vault with the region's key material."""

    storage: StorageSpec = StorageSpec()
    """The storage account with etcd's marks, snapshots and checkpoints."""

    operator_ranges: Annotated[tuple[Source, ...], Field(strict=False)] = ()
    """Ranges of peered or connected networks from which the API and etcd may be reached."""

    ssh_ranges: Annotated[tuple[Source, ...], Field(strict=False)] = ()
    """Ranges from which machines may be logged in to; none where it is left out."""

    peered_addresses: Annotated[int, Field(ge=AZURE_PEERED_ADDRESSES.value, le=PEERED_ADDRESSES_MAX)] = (
        AZURE_PEERED_ADDRESSES.value
    )
    """Private addresses the region's peered networks may have in all: more only where Azure support has raised it."""

    tags: Tags = Field(default={})
    """Tags of everything that takes tags."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.zones or len(set(self.zones)) < len(self.zones):
            raise refuse(
                field="zones",
                given=list(self.zones),
                allowed="one to three different zones",
                why="machines are dealt to them in turn, and a zone that stands twice would get twice as many",
                fix="leave zones out: all three",
            )
        for field, ranges in (("operatorRanges", self.operator_ranges), ("sshRanges", self.ssh_ranges)):
            check_sources(field, ranges)
        return self

    def etcd_size(self, ceiling: int, member: str = "") -> Size:
        """The size of etcd members, or of the one that is named."""
        own = self.etcd.members.get(member, self.etcd.size)
        return SIZES[own] if own else etcd_size(ceiling)

    def api_server_size(self, ceiling: int) -> Size:
        """The size of API servers."""
        return SIZES[self.api_servers.size] if self.api_servers.size else api_server_size(ceiling)

    def surge_nodes(self, pool: SimulatedPoolSpec | MachinePoolSpec) -> int:
        """Nodes above the pool's most while it is upgraded."""
        azure = pool.azure if isinstance(pool, MachinePoolSpec) else None
        return azure.surge_nodes(pool.most, scale_set_limit(self.image)) if azure else 0
