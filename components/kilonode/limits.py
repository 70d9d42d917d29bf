"""Limits of clouds and programs, each with its unit and source; the only place they are written down."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    """A number somebody else decided."""

    value: int
    unit: str
    source: str


BOOT_DATA = Limit(8192, "bytes gzipped", "kilonode: half of the smallest cloud limit (AWS user data, 16,384 bytes)")
HOSTNAME = Limit(63, "characters", "RFC 1123 label")
RESERVED_PER_SUBNET = Limit(
    5, "addresses", "Azure: first four and last of a subnet; AWS: the same five (VPC user guide, subnet sizing)"
)
RESERVED_AT_START = Limit(4, "addresses", "of the five reserved per subnet, the ones at its start (Azure, AWS)")
ETCD_QUOTA_DEFAULT = Limit(2 * 1024**3, "bytes", "etcd docs, system limits: default storage quota")
ETCD_QUOTA_SUGGESTED_MAX = Limit(8 * 1024**3, "bytes", "etcd docs, system limits: suggested maximum")
ETCD_MEMBERS = Limit(7, "members", "etcd FAQ: a cluster should have no more than seven members")
SERVICE_RANGE_BITS = Limit(20, "host bits", "kube-apiserver: --service-cluster-ip-range may hold at most 20 bits")
GOAWAY_CHANCE_MAX = Limit(2, "percent", "kube-apiserver: --goaway-chance is at most 0.02")
NODES = Limit(10_000, "nodes", "kilonode: a third above the largest cluster its figures come from (7,500, 2021 post)")

_AZURE = "https://learn.microsoft.com/azure/"
_NETWORKING = f"{_AZURE}azure-resource-manager/management/azure-subscription-service-limits#networking-limits"
_NAMES = f"{_AZURE}azure-resource-manager/management/resource-name-rules"
_TAGS = f"{_AZURE}azure-resource-manager/management/tag-resources#limitations"
_PLACEMENT = f"{_AZURE}virtual-machine-scale-sets/virtual-machine-scale-sets-placement-groups"
_NAT = f"{_AZURE}nat-gateway/nat-gateway-resource"

AZURE_VNET_ADDRESSES = Limit(65_536, "private addresses", f"Azure, per virtual network: {_NETWORKING}")
AZURE_PEERED_ADDRESSES = Limit(128_000, "private addresses", f"Azure, of a group of peered networks: {_NETWORKING}")
AZURE_NIC_ADDRESSES = Limit(256, "private addresses", f"Azure, per network interface and per machine: {_NETWORKING}")
AZURE_VNET_PEERINGS = Limit(500, "peerings", f"Azure, per virtual network: {_NETWORKING}")
AZURE_NSG_RULES = Limit(1_000, "rules", f"Azure, per network security group: {_NETWORKING}")
AZURE_NSG_RANGES = Limit(4_000, "ranges", f"Azure, of sources in one network security group: {_NETWORKING}")
AZURE_NSG_PRIORITY = Limit(4_096, "priority", f"{_AZURE}virtual-network/network-security-groups-overview: 100 to 4096")
AZURE_SNAT_CONNECTIONS = Limit(
    50_000, "connections to one destination", f"Azure, at once, per public address of a NAT gateway: {_NAT}#performance"
)
AZURE_NAT_ADDRESSES = Limit(16, "public addresses", f"Azure, per NAT gateway: {_NAT}")
AZURE_PUBLIC_PREFIX = Limit(
    31, "prefix length", f"{_AZURE}virtual-network/ip-services/public-ip-address-prefix: /31 to /28"
)

AZURE_SCALE_SET = Limit(1_000, "machines", f"Azure, per scale set with a gallery image: {_PLACEMENT}")
AZURE_SCALE_SET_PLAIN_IMAGE = Limit(600, "machines", f"Azure, per scale set with a plain custom image: {_PLACEMENT}")
AZURE_PLACEMENT_GROUP = Limit(100, "machines", f"Azure, per placement group: {_PLACEMENT}")
AZURE_PLACEMENT_GROUP_RAISED = Limit(
    300, "machines", f"Azure, per placement group once support has raised it: {_AZURE}virtual-machines/setup-infiniband"
)
AZURE_RESOURCE_BODY = Limit(
    1_048_576,
    "bytes of one resource's definition",
    f"{_AZURE}azure-resource-manager/templates/best-practices#template-limits; of inline scripts no limit of their own is written down",
)
AZURE_REPLICA_MACHINES = Limit(
    20, "machines made at once of one replica", f"{_AZURE}virtual-machines/azure-compute-gallery#scaling"
)
AZURE_CUSTOM_DATA = Limit(
    65_535,
    "bytes before base64",
    "https://learn.microsoft.com/rest/api/compute/virtual-machines/create-or-update: customData",
)
AWS_USER_DATA = Limit(
    16_384,
    "bytes before base64",
    "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html",
)
BOOT_DATA_PLAIN = Limit(
    AZURE_CUSTOM_DATA.value // 2,
    "bytes",
    f"kilonode: half of what Azure takes, which is not gzipped ({AZURE_CUSTOM_DATA.source})",
)
AZURE_SECRET = Limit(25_000, "characters", f"{_AZURE}key-vault/secrets/about-secrets: 25k bytes per value")

AZURE_TAGS = Limit(50, "tags", f"Azure, per resource: {_TAGS}")
AZURE_DNS_TAGS = Limit(15, "tags", f"Azure, per private DNS zone, record set and link: {_TAGS}")
AZURE_TAG_NAME = Limit(512, "characters", f"Azure: {_TAGS}")
AZURE_STORAGE_TAG_NAME = Limit(128, "characters", f"Azure, on storage accounts: {_TAGS}")
AZURE_TAG_VALUE = Limit(256, "characters", f"Azure: {_TAGS}")

AZURE_RESOURCE_GROUP_NAME = Limit(90, "characters", _NAMES)
AZURE_NETWORK_NAME = Limit(64, "characters", f"{_NAMES}: virtualNetworks")
AZURE_NETWORKING_NAME = Limit(80, "characters", f"{_NAMES}: Microsoft.Network, but for virtualNetworks and DNS zones")
AZURE_DNS_ZONE_NAME = Limit(63, "characters", f"{_NAMES}: privateDnsZones, of 2 to 34 labels")
AZURE_MACHINE_NAME = Limit(64, "characters", f"{_NAMES}: virtualMachines and virtualMachineScaleSets")
AZURE_INSTANCE_DIGITS = Limit(
    6,
    "base-36 digits",
    "kubernetes-sigs/cloud-provider-azure, pkg/provider/azure_vmss.go: the end of a scale set machine's host name",
)
AZURE_IDENTITY_NAME = Limit(128, "characters", f"{_NAMES}: userAssignedIdentities")
AZURE_KEY_VAULT_NAME = Limit(24, "characters", f"{_NAMES}: vaults, unique among all customers")
AZURE_SECRET_NAME = Limit(127, "characters", f"{_NAMES}: vaults / secrets")
AZURE_STORAGE_NAME = Limit(24, "characters", f"{_NAMES}: storageAccounts, unique among all customers")
AZURE_CONTAINER_NAME = Limit(63, "characters", f"{_NAMES}: containers of blobs")
AZURE_GALLERY_NAME = Limit(80, "characters", f"{_NAMES}: galleries and their images")
