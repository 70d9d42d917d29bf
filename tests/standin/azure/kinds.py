"""The resource types that are served: one row each.

API versions are those of azure-native 3.29's default modules, from the docstring of each resource class. `replaces` are
inputs outside the id that the plugin answers with a replacement: x-ms-mutability without "update" in the API's
specification of that version, and the plugin's own table (pulumi/pulumi-azure-native provider/pkg/gen/replacement.go).
`maintained` are lists that can also be resources of their own: the plugin leaves them alone where they are not given.
"""

from dataclasses import dataclass
from typing import Final

GROUP: Final = "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}"
NET: Final = f"{GROUP}/providers/Microsoft.Network"
COMPUTE: Final = f"{GROUP}/providers/Microsoft.Compute"
VNET: Final = f"{NET}/virtualNetworks/{{virtualNetworkName}}"
NSG: Final = f"{NET}/networkSecurityGroups/{{networkSecurityGroupName}}"
ZONE: Final = f"{NET}/privateDnsZones/{{privateZoneName}}"
IMAGE: Final = f"{COMPUTE}/galleries/{{galleryName}}/images/{{galleryImageName}}"
VAULT: Final = f"{GROUP}/providers/Microsoft.KeyVault/vaults/{{vaultName}}"
ACCOUNT: Final = f"{GROUP}/providers/Microsoft.Storage/storageAccounts/{{accountName}}"
CONTAINER: Final = f"{ACCOUNT}/blobServices/default/containers/{{containerName}}"
ROLES: Final = "/{scope}/providers/Microsoft.Authorization"
IDENTITY: Final = f"{GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/{{resourceName}}"
TEMPLATE: Final = f"{GROUP}/providers/Microsoft.VirtualMachineImages/imageTemplates/{{imageTemplateName}}"

# Of each module of azure-native: the package of its models and the version of the API it speaks.
MODULES: Final = {
    "resources": ("resource.resources", "2024-03-01"),
    "network": ("network", "2024-05-01"),
    "privatedns": ("privatedns", "2024-06-01"),
    "compute": ("compute", "2024-11-01"),
    "managedidentity": ("msi.v2024_11_30", "2023-01-31"),
    "authorization": ("authorization.v2022_04_01", "2022-04-01"),
    "keyvault": ("keyvault", "2024-11-01"),
    "storage": ("storage", "2024-01-01"),
    "virtualmachineimages": ("imagebuilder", "2024-02-01"),
}
GALLERIES: Final = "2024-03-03"


@dataclass(frozen=True)
class Kind:
    """A resource type: its token without the package, its id, and where it differs from its module."""

    token: str
    path: str
    replaces: tuple[str, ...] = ()
    maintained: tuple[str, ...] = ()
    # Lists whose items are ARM objects with an id below that of the resource.
    children: tuple[str, ...] = ()
    body: str = ""
    other_api: str = ""
    other_package: str = ""

    @property
    def module(self) -> str:
        """The module of the token: `network` of `network:Subnet`."""
        return self.token.partition(":")[0]

    @property
    def api(self) -> str:
        """The version of the API that the plugin speaks."""
        return self.other_api or MODULES[self.module][1]

    @property
    def model(self) -> str:
        """Azure's model of the body of a creation, as module:class."""
        package = self.other_package or MODULES[self.module][0]
        return f"azure.mgmt.{package}.models:{self.body or self.token.partition(':')[2]}"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The inputs that make up the id, in its order."""
        words = [part.partition("}")[0] for part in self.path.split("{")[1:]]
        return tuple(word for word in words if word != "subscriptionId")

    @property
    def name_input(self) -> str:
        """The input that is the resource's own name."""
        return self.parameters[-1]

    @property
    def type(self) -> str:
        """ARM's name of the type: `Microsoft.Network/virtualNetworks/subnets`."""
        if "/providers/" not in self.path:
            return "Microsoft.Resources/resourceGroups"
        namespace, *rest = self.path.rpartition("/providers/")[2].split("/")
        return "/".join([namespace, *(part for part in rest[::2] if not part.startswith("{"))])


LOCATION: Final = ("location",)
PIP_REPLACES: Final = ("location", "publicIPAddressVersion", "publicIPPrefix", "sku")
LB_PARTS: Final = (
    "frontendIPConfigurations",
    "backendAddressPools",
    "probes",
    "loadBalancingRules",
    "outboundRules",
    "inboundNatRules",
    "inboundNatPools",
)

ROWS: Final = (
    Kind("resources:ResourceGroup", GROUP, LOCATION),
    Kind("network:VirtualNetwork", VNET, LOCATION, maintained=("subnets", "virtualNetworkPeerings")),
    Kind("network:Subnet", f"{VNET}/subnets/{{subnetName}}"),
    Kind("network:VirtualNetworkPeering", f"{VNET}/virtualNetworkPeerings/{{virtualNetworkPeeringName}}"),
    Kind("network:NetworkSecurityGroup", NSG, maintained=("securityRules",)),
    Kind("network:SecurityRule", f"{NSG}/securityRules/{{securityRuleName}}"),
    Kind("network:NatGateway", f"{NET}/natGateways/{{natGatewayName}}"),
    Kind("network:PublicIPAddress", f"{NET}/publicIPAddresses/{{publicIpAddressName}}", PIP_REPLACES),
    Kind("network:PublicIPPrefix", f"{NET}/publicIPPrefixes/{{publicIpPrefixName}}"),
    Kind(
        "network:NetworkInterface", f"{NET}/networkInterfaces/{{networkInterfaceName}}", children=("ipConfigurations",)
    ),
    Kind(
        "network:LoadBalancer",
        f"{NET}/loadBalancers/{{loadBalancerName}}",
        maintained=("backendAddressPools", "inboundNatRules"),
        children=LB_PARTS,
    ),
    Kind("network:RouteTable", f"{NET}/routeTables/{{routeTableName}}", maintained=("routes",), children=("routes",)),
    Kind("privatedns:PrivateZone", ZONE, LOCATION),
    Kind("privatedns:VirtualNetworkLink", f"{ZONE}/virtualNetworkLinks/{{virtualNetworkLinkName}}", LOCATION),
    Kind("privatedns:PrivateRecordSet", f"{ZONE}/{{recordType}}/{{relativeRecordSetName}}", body="RecordSet"),
    Kind("compute:VirtualMachine", f"{COMPUTE}/virtualMachines/{{vmName}}", LOCATION),
    Kind("compute:VirtualMachineScaleSet", f"{COMPUTE}/virtualMachineScaleSets/{{vmScaleSetName}}", LOCATION),
    Kind("compute:Disk", f"{COMPUTE}/disks/{{diskName}}", LOCATION, other_api="2024-03-02"),
    Kind("compute:AvailabilitySet", f"{COMPUTE}/availabilitySets/{{availabilitySetName}}", LOCATION),
    Kind(
        "compute:ProximityPlacementGroup",
        f"{COMPUTE}/proximityPlacementGroups/{{proximityPlacementGroupName}}",
        LOCATION,
    ),
    Kind("compute:Gallery", IMAGE.partition("/images/")[0], LOCATION, other_api=GALLERIES),
    Kind("compute:GalleryImage", IMAGE, LOCATION, other_api=GALLERIES),
    Kind("compute:GalleryImageVersion", f"{IMAGE}/versions/{{galleryImageVersionName}}", LOCATION, other_api=GALLERIES),
    Kind("managedidentity:UserAssignedIdentity", IDENTITY, LOCATION, body="Identity"),
    Kind(
        "authorization:RoleAssignment",
        f"{ROLES}/roleAssignments/{{roleAssignmentName}}",
        ("principalId",),
        body="RoleAssignmentCreateParameters",
    ),
    Kind(
        "authorization:RoleDefinition",
        f"{ROLES}/roleDefinitions/{{roleDefinitionId}}",
        other_package="authorization.v2022_05_01_preview",
        other_api="2022-05-01-preview",
    ),
    Kind("keyvault:Vault", VAULT, body="VaultCreateOrUpdateParameters"),
    Kind("keyvault:Secret", f"{VAULT}/secrets/{{secretName}}", body="SecretCreateOrUpdateParameters"),
    Kind("storage:StorageAccount", ACCOUNT, ("isHnsEnabled", "location"), body="StorageAccountCreateParameters"),
    Kind("storage:BlobContainer", CONTAINER),
    Kind(
        "storage:BlobContainerImmutabilityPolicy",
        f"{CONTAINER}/immutabilityPolicies/{{immutabilityPolicyName}}",
        body="ImmutabilityPolicy",
    ),
    Kind("storage:ManagementPolicy", f"{ACCOUNT}/managementPolicies/{{managementPolicyName}}"),
    Kind("virtualmachineimages:VirtualMachineImageTemplate", TEMPLATE, LOCATION, body="ImageTemplate"),
)
KINDS: Final = {kind.token: kind for kind in ROWS}


class NotServedError(LookupError):
    """A type or function that the stand-in does not know."""


def kind_of(urn_or_token: str) -> Kind:
    """The row of a token or of a resource's URN; raises NotServedError with what is served."""
    token = urn_or_token.split("::")[2].rpartition("$")[2] if "::" in urn_or_token else urn_or_token
    short = token.removeprefix("azure-native:")
    if short not in KINDS:
        raise NotServedError(f"the stand-in for Azure serves no {token}; it serves {', '.join(sorted(KINDS))}")
    return KINDS[short]
