"""The rendered files of a region, as its machines would get them, with key material issued without an engine."""

from collections.abc import Sequence
from typing import Any

from kilonode.apiserver.boot import api_server_boot
from kilonode.apiserver.settings import encryption
from kilonode.boot.machine import BootData, File, dump_yaml
from kilonode.boot.secrets import delivered
from kilonode.etcd.boot import member_boot
from kilonode.etcd.plan import EtcdClusterPlan
from kilonode.loadbalancer.haproxy import load_balancer_boot
from kilonode.nodes.simulated import simulator_boot
from kilonode.pki.credentials import (
    api_server_credentials,
    authorities,
    load_balancer_credentials,
    member_credentials,
    operator_credentials,
    simulator_credentials,
)
from kilonode.pki.issue import issue, new_authority, new_key
from kilonode.pki.kinds import Authority, Certificate, Credential, SharedKey, SigningAuthority, files
from kilonode.region.plan import RegionPlan, plan_region
from kilonode.region.spec import RegionSpec


class Rendered:
    """A region's plan, and boot data and credential files of each of its machines."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.plan: RegionPlan = plan_region(RegionSpec.read(settings, "kilonode:region"))
        self._authorities = {name: new_authority(name) for name in authorities(self.plan)}
        key = "A" * 43 + "="
        self._shared = {"service-account": new_key(), "encryption": dump_yaml(encryption(key))}

    def cluster(self, name: str) -> EtcdClusterPlan:
        """The plan of the etcd cluster ``name``."""
        return next(plan for plan in self.plan.etcd if plan.spec.name == name)

    def member(self, cluster: str, index: int = 0) -> list[File]:
        """Every file of a member."""
        plan = self.cluster(cluster)
        member = plan.members[index]
        return [*member_boot(plan, member).all_files, *self.issued(member_credentials(plan, member))]

    def api_server(self) -> list[File]:
        """Every file of the first API server."""
        machine = self.plan.api_servers[0]
        boot = api_server_boot(self.plan, machine)
        return [*boot.all_files, *self.issued(api_server_credentials(self.plan, machine))]

    def load_balancer(self) -> list[File]:
        """Every file of the load balancer."""
        return [*load_balancer_boot(self.plan).all_files, *self.issued(load_balancer_credentials())]

    def simulator(self) -> list[File]:
        """Every file of the machine that plays the first simulated pool."""
        pool, machine = self.plan.spec.simulated_pools[0], self.plan.simulators[0]
        boot = simulator_boot(self.plan, pool, machine)
        return [*boot.all_files, *self.issued(simulator_credentials(pool.name))]

    def boot_data(self) -> dict[str, BootData]:
        """Boot data of one machine of each role."""
        plan = self.plan
        return {
            "etcd": member_boot(plan.etcd[0], plan.etcd[0].members[0]),
            "api": api_server_boot(plan, plan.api_servers[0]),
            "load-balancer": load_balancer_boot(plan),
            "simulator": simulator_boot(plan, plan.spec.simulated_pools[0], plan.simulators[0]),
        }

    def operator(self) -> list[File]:
        """The operator's credentials."""
        return self.issued(operator_credentials())

    def issued(self, rows: Sequence[Credential]) -> list[File]:
        """The credential files where the cloud delivers them."""
        made: list[File] = []
        for row in rows:
            match row:
                case SharedKey():
                    texts = [self._shared[row.key]]
                case Authority():
                    texts = ["".join(self._authorities[signer].certificate for signer in row.signers)]
                case SigningAuthority():
                    own = self._authorities[row.signer]
                    texts = [own.certificate, own.key]
                case Certificate():
                    pair = issue(row, self._authorities[row.signer])
                    texts = [pair.certificate, pair.key]
            made += [
                File(delivered(row.service, file), text, 0o400) for file, text in zip(files(row), texts, strict=True)
            ]
        return made
