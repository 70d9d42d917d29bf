"""Roles and bindings as values."""

from dataclasses import dataclass

GROUP = "rbac.authorization.k8s.io"


@dataclass(frozen=True)
class Rule:
    """What may be done with which resources; with ``names``, to those objects alone."""

    groups: tuple[str, ...]
    resources: tuple[str, ...]
    verbs: tuple[str, ...]
    names: tuple[str, ...] = ()

    @property
    def document(self) -> dict[str, list[str]]:
        """The rule in the API's own keys."""
        made = {"apiGroups": list(self.groups), "resources": list(self.resources), "verbs": list(self.verbs)}
        return made | ({"resourceNames": list(self.names)} if self.names else {})


def role(name: str, *rules: Rule, namespace: str = "") -> dict[str, object]:
    """A ClusterRole, or a Role of ``namespace``."""
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Role" if namespace else "ClusterRole",
        "metadata": _metadata(name, namespace),
        "rules": [rule.document for rule in rules],
    }


def binding(name: str, to: str, subject: dict[str, str], namespace: str = "") -> dict[str, object]:
    """What binds ``subject`` to the role ``to``: of the cluster, or of ``namespace``."""
    kind = "Role" if namespace else "ClusterRole"
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": f"{kind}Binding",
        "metadata": _metadata(name, namespace),
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": to},
        "subjects": [{"apiGroup": GROUP, **subject}],
    }


def _metadata(name: str, namespace: str) -> dict[str, str]:
    return {"name": name, "namespace": namespace} if namespace else {"name": name}
