"""A claim about what API servers call: admission webhooks, and aggregated APIs in the same way."""

from typing import Any

from ops.claims.api import CREATED, NAMESPACE
from ops.claims.claim import must, until
from ops.claims.nodes import NO_NODES, machine_nodes
from ops.claims.pods import PORT, serving
from ops.ready import Region

CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
ANSWERED = "server gave HTTP response to HTTPS client"
"""What kube-apiserver says of a webhook that answers without TLS: the pod was reached, and it alone says so."""

SECONDS = 5


def webhooks_are_called_at_their_pods(region: Region) -> str:
    """A webhook's Service leads an API server to a pod, although no API server has Services' addresses."""
    nodes = machine_nodes(region)
    if not nodes:
        return NO_NODES
    core = f"{region.plan.endpoint}/api/v1/namespaces/{NAMESPACE}"
    with serving(region, nodes[:1]) as pods:
        name = pods[0].name.rsplit("-", 1)[0]
        spec = {"selector": {"app": name}, "ports": [{"port": 443, "targetPort": PORT}]}
        made = [
            (f"{core}/services", {"metadata": {"name": name}, "spec": spec}),
            (f"{region.plan.endpoint}{CONFIGURATIONS}", _configuration(name)),
        ]
        try:
            for url, body in made:
                answer = region.api.call(url, "POST", body)
                must(answer.status == CREATED, answer.text[:200])
            said = ""

            def answered() -> bool:
                nonlocal said
                body = {"metadata": {"generateName": "asked-", "labels": {"app": name}}}
                said = region.api.call(f"{core}/configmaps?dryRun=All", "POST", body, timeout=2 * SECONDS).text
                return ANSWERED in said

            until(answered, f"an answer of {pods[0].address}", lambda: said[-300:])
        finally:
            for url, _ in made:
                region.api.call(f"{url}/{name}", "DELETE")
    return f"the webhook of a Service was called at {pods[0].address}"


def _configuration(name: str) -> dict[str, Any]:
    """A webhook that is asked about ConfigMaps with the label ``app: name``, and about nothing else."""
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["configmaps"],
        "scope": "Namespaced",
    }
    webhook = {
        "name": f"{name}.kilonode.internal",
        "clientConfig": {"service": {"namespace": NAMESPACE, "name": name}},
        "objectSelector": {"matchLabels": {"app": name}},
        "rules": [rule],
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Fail",
        "timeoutSeconds": SECONDS,
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": [webhook],
    }
