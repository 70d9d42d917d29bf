"""Kubeconfigs: how a client of the API is told where it is, whom to believe and who it is itself."""

from collections.abc import Mapping

from kilonode.boot.secrets import credential

KUBECONFIG = "/etc/kubernetes/{service}.kubeconfig"


def kubeconfig(service: str, server: str, certificate: str = "client") -> dict[str, object]:
    """One for ``service`` at the API ``server`` that names its credentials by path, so that it holds no secret."""
    return document(
        service,
        {"server": server, "certificate-authority": credential(service, "ca.crt")},
        {
            "client-certificate": credential(service, f"{certificate}.crt"),
            "client-key": credential(service, f"{certificate}.key"),
        },
    )


def document(user: str, cluster: Mapping[str, str], credentials: Mapping[str, str]) -> dict[str, object]:
    """A kubeconfig of one cluster, one user and one context."""
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "region", "cluster": dict(cluster)}],
        "users": [{"name": user, "user": dict(credentials)}],
        "contexts": [{"name": "region", "context": {"cluster": "region", "user": user}}],
        "current-context": "region",
    }
