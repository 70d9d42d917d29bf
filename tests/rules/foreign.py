"""A stack nobody made with this library: plain azure-native and kubernetes resources, without our components and tags."""

from copy import deepcopy
from typing import Any

import yaml

from kilonode.apiserver.probe import PROBE
from kilonode.rules.facts.stack import Facts
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from tests.rules.foreign_flags import AUTOSCALER, KUBELET, LARGE, THRESHOLDS, member_flags, server_flags
from tests.rules.written import cloud_config, encoded, made, sysctls, unit, urn, with_property

__all__ = [
    "BALANCER",
    "DIGEST",
    "KUBELET",
    "LARGE",
    "NATIVE",
    "Foreign",
    "cloud_config",
    "encoded",
    "made",
    "member_flags",
    "sysctls",
    "unit",
    "urn",
    "with_property",
]

DIGEST = "@sha256:" + "ab" * 32
NATIVE = "azure-native:"
SUBNET = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/pool"
BALANCER = SUBNET.partition("/virtualNetworks")[0] + "/loadBalancers/api"


class Foreign:
    """The stack as values a test may change before it is read."""

    def __init__(self, *, large: bool = False) -> None:
        each = range(1, 6 if large else 4)
        self.sysctls = dict(LARGE if large else THRESHOLDS)
        self.members = {(c, n): member_flags(c, n, len(each)) for c in (1, 2) for n in each}
        self.member_commands = ["install -d -m 0700 -o etcd -g etcd /var/lib/etcd/data"]
        self.snapshot = "etcdctl snapshot save /backup/now.db && azcopy copy /backup/now.db https://s.example.com/b"
        self.every = "*/30 * * * *"
        self.member_files: dict[str, str] = {}
        self.servers = {number: server_flags() for number in each}
        self.kubelet = deepcopy(KUBELET)
        self.more_user_data = ""
        self.machines: dict[str, dict[str, Any]] = {}
        """Changes of a machine's properties, by its name."""

        self.protect = True
        self.protect_stores = True
        self.pool: dict[str, Any] = {
            "sku": {"name": "Standard_D16ds_v5", "capacity": 3},
            "tags": {"cluster-autoscaler-enabled": "true", "min": "0", "max": "400"},
            "overprovision": False,
            "singlePlacementGroup": False,
            "upgradePolicy": {
                "mode": "Rolling",
                "rollingUpgradePolicy": {
                    "maxBatchInstancePercent": 5,
                    "maxUnhealthyInstancePercent": 10,
                    "maxUnhealthyUpgradedInstancePercent": 5,
                },
            },
        }
        self.login: dict[str, Any] = {"disablePasswordAuthentication": True}
        self.address: dict[str, Any] = {}
        """Changes of the pool's first address configuration."""

        self.addresses = 31
        self.ignore: tuple[str, ...] = ("sku.capacity",)
        self.range = "10.4.0.0/16"
        self.front: dict[str, Any] = {"privateIPAddress": "10.0.0.4"}
        self.probe: dict[str, Any] = {"protocol": "Https", "port": 6443, "requestPath": PROBE}
        self.account: dict[str, Any] = {"allowBlobPublicAccess": False}
        self.autoscaler = dict(AUTOSCALER)
        self.image = f"registry.example.com/app:v1{DIGEST}"
        self.balloon = -10

    def resources(self) -> list[Resource]:
        return [
            made("pulumi:pulumi:Stack", "foreign-prod", {}),
            *(self._machine(f"etcd-{c}-{n}", n, self._member(c, n), "Standard_L8s_v3") for c, n in self.members),
            *(self._machine(f"api-{n}", n, self._server(n), "Standard_E16s_v5") for n in self.servers),
            *self._network(),
            made(f"{NATIVE}storage:StorageAccount", "backups", self.account, protect=self.protect_stores),
            self._scale_set(),
            *self._kubernetes(),
        ]

    def facts(self) -> Facts:
        return read_facts(self.resources())

    def _member(self, cluster: int, number: int) -> str:
        files = {
            "/etc/systemd/system/etcd.service": unit("etcd", self.members[cluster, number]),
            "/etc/sysctl.d/90-arp.conf": sysctls(self.sysctls),
            "/etc/cron.d/backup": f"{self.every} root {self.snapshot}\n",
            **self.member_files,
        }
        return cloud_config(files, *self.member_commands)

    def _server(self, number: int) -> str:
        files = {
            "/etc/systemd/system/kube-apiserver.service": unit("kube-apiserver", self.servers[number]),
            "/etc/sysctl.d/90-arp.conf": sysctls(self.sysctls),
        }
        return cloud_config(files)

    def _machine(self, name: str, zone: int, data: str, size: str) -> Resource:
        properties = {
            "vmName": name,
            "zones": [str((zone - 1) % 3 + 1)],
            "hardwareProfile": {"vmSize": size},
            "osProfile": {
                "customData": encoded(data),
                "linuxConfiguration": {"disablePasswordAuthentication": True},
            },
            **self.machines.get(name, {}),
        }
        return made(f"{NATIVE}compute/v20240301:VirtualMachine", name, properties, protect=self.protect)

    def _network(self) -> list[Resource]:
        balancer = {
            "frontendIPConfigurations": [self.front],
            "loadBalancingRules": [
                {"frontendPort": 6443, "backendPort": 6443, "probe": {"id": f"{BALANCER}/probes/ready"}}
            ],
            "probes": [{"name": "ready", **self.probe}],
        }
        card = {"ipConfigurations": [{"privateIPAddress": "10.0.1.1"}]}
        return [
            made(f"{NATIVE}network:Subnet", "subnet", {"addressPrefix": self.range}, id=SUBNET),
            made(f"{NATIVE}network:LoadBalancer", "api", balancer),
            made(f"{NATIVE}network:NetworkInterface", "card", card),
        ]

    def _scale_set(self) -> Resource:
        files = {
            "/etc/systemd/system/kubelet.service": unit("kubelet", {"config": "/etc/kubernetes/kubelet.yaml"}),
            "/etc/kubernetes/kubelet.yaml": yaml.safe_dump(self.kubelet),
            "/etc/sysctl.d/90-arp.conf": sysctls(self.sysctls),
        }
        rows = [{"subnet": {"id": SUBNET.upper()}, **(self.address if n == 0 else {})} for n in range(self.addresses)]
        profile = {
            "osProfile": {
                "customData": encoded(cloud_config(files) + self.more_user_data),
                "linuxConfiguration": self.login,
            },
            "networkProfile": {"networkInterfaceConfigurations": [{"ipConfigurations": rows}]},
        }
        properties = {"virtualMachineProfile": profile, **self.pool}
        depends = {"virtualMachineProfile": (urn(f"{NATIVE}network:Subnet", "subnet"),)}
        return made(f"{NATIVE}compute:VirtualMachineScaleSet", "pool", properties, ignore=self.ignore, depends=depends)

    def _kubernetes(self) -> list[Resource]:
        def pods(name: str, image: str, flags: dict[str, str], **more: Any) -> Resource:
            container = {"image": image, "command": [f"./{name}", *(f"--{k}={v}" for k, v in flags.items())]}
            spec = {"containers": [container], **more}
            body = {"metadata": {"name": name}, "spec": {"template": {"spec": spec}}}
            return made("kubernetes:apps/v1:Deployment", name, body)

        scaler = f"registry.k8s.io/autoscaling/cluster-autoscaler:v1.37.0{DIGEST}"
        room = {"metadata": {"name": "room"}, "value": self.balloon}
        return [
            pods("app", self.image, {}),
            pods("cluster-autoscaler", scaler, self.autoscaler),
            pods("balloons", f"registry.k8s.io/pause:3.10{DIGEST}", {}, priorityClassName="room"),
            made("kubernetes:scheduling.k8s.io/v1:PriorityClass", "room", room),
        ]
