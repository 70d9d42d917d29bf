import yaml

from kilonode.clouds.local.host import seed


def seeds(boot_hash: str = "a" * 64, on_link: tuple[str, ...] = ()) -> dict[str, str]:
    return seed.files(
        hostname="etcd-1",
        boot_hash=boot_hash,
        user_data="#cloud-config\n{}\n",
        address="10.64.1.5/14",
        gateway="10.64.0.1",
        on_link=on_link,
    )


def test_user_data_reaches_the_machine_byte_for_byte() -> None:
    assert seeds()["user-data"] == "#cloud-config\n{}\n"


def test_other_boot_data_is_another_instance() -> None:
    one, other = (yaml.safe_load(seeds(boot_hash)["meta-data"]) for boot_hash in ("a" * 64, "b" * 64))
    assert one["local-hostname"] == other["local-hostname"] == "etcd-1"
    assert one["instance-id"] != other["instance-id"]


def test_the_address_is_static_and_the_gateway_is_the_default_route() -> None:
    link = yaml.safe_load(seeds()["network-config"])["ethernets"]["host0"]
    assert link["addresses"] == ["10.64.1.5/14"]
    assert link["dhcp4"] is False
    assert {"to": "0.0.0.0/0", "via": "10.64.0.1"} in link["routes"]
