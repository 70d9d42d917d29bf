"""The key material of a region: one authority per purpose, the shared keys, and who gets what."""

from collections.abc import Sequence

import pulumi

from kilonode.pki.credentials import authorities
from kilonode.pki.kinds import Credential
from kilonode.pki.resources import CertificateAuthority, MachineCredentials, SharedKeyMaterial
from kilonode.region.plan import RegionPlan


class RegionPki(pulumi.ComponentResource):
    """Authorities and shared keys of a region. Outputs: ``authorities``, each one's certificate."""

    def __init__(self, plan: RegionPlan, opts: pulumi.ResourceOptions) -> None:
        region = plan.spec.name
        super().__init__("kilonode:index:Pki", f"{region}-pki", None, opts)
        inside = pulumi.ResourceOptions(parent=self)
        self._authorities = {
            name: CertificateAuthority(f"{region}-ca-{name}", common_name=f"{region}-{name}", opts=inside)
            for name in authorities(plan)
        }
        self._shared = {
            key: SharedKeyMaterial(f"{region}-key-{key}", key=key, opts=inside)
            for key in ("service-account", "encryption")
        }
        self.register_outputs(
            {"authorities": {name: authority.certificate for name, authority in self._authorities.items()}}
        )

    def credentials(
        self, machine: str, rows: Sequence[Credential], opts: pulumi.ResourceOptions
    ) -> pulumi.Output[dict[str, str]]:
        """Issue ``rows`` for ``machine``; the files are a secret."""
        issued = MachineCredentials(
            f"{machine}-credentials",
            machine=machine,
            rows=rows,
            authorities=self._authorities,
            shared=self._shared,
            opts=opts,
        )
        return issued.files
