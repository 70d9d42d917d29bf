"""The rendered files of a small region, as the machines would get them."""

from typing import Any

from kilonode.apiserver.boot import api_server_boot
from kilonode.apiserver.settings import encryption
from kilonode.boot.image import machine_image
from kilonode.boot.machine import BootData, File, dump_yaml
from kilonode.boot.secrets import credential
from kilonode.etcd.boot import member_boot
from kilonode.loadbalancer.haproxy import load_balancer_boot
from kilonode.pki.credentials import (
    Authority,
    Certificate,
    Credential,
    SharedKey,
    api_server_credentials,
    authorities,
    files,
    load_balancer_credentials,
    member_credentials,
    operator_credentials,
)
from kilonode.pki.issue import issue, new_authority, new_key
from kilonode.region.plan import RegionPlan, plan_region
from kilonode.region.spec import RegionSpec


class Rendered:
    """A region's plan, its boot data and its key material issued without an engine."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.plan: RegionPlan = plan_region(RegionSpec.read(settings, "kilonode:region"))
        self._authorities = {name: new_authority(name) for name in authorities(self.plan)}
        key = "A" * 43 + "="
        self._shared = {"service-account": new_key(), "encryption": dump_yaml(encryption(key))}

    def member(self, cluster: str) -> tuple[BootData, list[File]]:
        """Boot data and credentials of the first member of ``cluster``."""
        plan = next(plan for plan in self.plan.etcd if plan.spec.name == cluster)
        return member_boot(plan, plan.members[0]), self.issued(member_credentials(plan, plan.members[0]))

    def api_server(self) -> tuple[BootData, list[File]]:
        """Boot data and credentials of the first API server."""
        machine = self.plan.api_servers[0]
        return api_server_boot(self.plan, machine), self.issued(api_server_credentials(self.plan, machine))

    def load_balancer(self) -> tuple[BootData, list[File]]:
        """Boot data and credentials of the load balancer."""
        return load_balancer_boot(self.plan), self.issued(load_balancer_credentials())

    def operator(self) -> list[File]:
        """The operator's credentials."""
        return self.issued(operator_credentials())

    @staticmethod
    def image() -> list[File]:
        """What the image puts under /etc and /usr."""
        return list(machine_image().files)

    def issued(self, rows: tuple[Credential, ...]) -> list[File]:
        """The credential files where a service reads them."""
        made: list[File] = []
        for row in rows:
            match row:
                case SharedKey():
                    texts = [self._shared[row.key]]
                case Authority():
                    texts = [self._authorities[row.signer].certificate]
                case Certificate():
                    pair = issue(row, self._authorities[row.signer])
                    texts = [pair.certificate, pair.key]
            made += [
                File(credential(row.service, file), text, 0o600) for file, text in zip(files(row), texts, strict=True)
            ]
        return made
