"""What the operator's own tools are given: the issued files, and a kubeconfig that holds all it needs."""

import base64
from collections.abc import Mapping

from kilonode.boot.kubeconfig import document
from kilonode.boot.machine import dump_yaml

OPERATOR = "operator"


def operator_files(endpoint: str, issued: Mapping[str, str]) -> dict[str, str]:
    """The issued files without their service's folder, and the kubeconfig."""
    files = {path.rpartition("/")[2]: content for path, content in issued.items()}
    encoded = {path: base64.b64encode(content.encode()).decode() for path, content in files.items()}
    kubeconfig = document(
        OPERATOR,
        {"server": endpoint, "certificate-authority-data": encoded["ca.crt"]},
        {"client-certificate-data": encoded["client.crt"], "client-key-data": encoded["client.key"]},
    )
    return files | {"kubeconfig": dump_yaml(kubeconfig)}
