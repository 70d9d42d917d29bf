"""The configuration files kube-apiserver reads, as values in the API's own versions."""

PROBE_PATHS = ("/livez", "/readyz", "/healthz")
"""The only paths anonymous requests may see: load balancers and platform probes carry no credential."""

ENCRYPTION_KEY = "key1"
"""The key's name, which stands before everything it has sealed: under another name that could not be read."""


def authentication() -> dict[str, object]:
    """Structured authentication: anonymous access on the probe paths and nowhere else."""
    return {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "AuthenticationConfiguration",
        "anonymous": {"enabled": True, "conditions": [{"path": path} for path in PROBE_PATHS]},
    }


def encryption(key: str) -> dict[str, object]:
    """Secrets encrypted at rest with ``key`` (32 bytes in base64); ``identity`` reads what was written before.

    secretbox (XSalsa20-Poly1305) needs no rotation by write count, unlike AES-GCM, and no key service.
    """
    providers: list[dict[str, object]] = [
        {"secretbox": {"keys": [{"name": ENCRYPTION_KEY, "secret": key}]}},
        {"identity": {}},
    ]
    return {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "EncryptionConfiguration",
        "resources": [{"resources": ["secrets"], "providers": providers}],
    }


def audit_policy() -> dict[str, object]:
    """Who changed what, without bodies and without the heartbeat of thousands of nodes.

    At 7,500 nodes leases, node status and reads are nearly all requests; none of them tells who did what.
    """
    # First, so that no later rule silences it for anybody; without bodies, which would put the values into the log.
    secrets: dict[str, object] = {
        "level": "Metadata",
        "resources": [
            {"group": "", "resources": ["secrets", "serviceaccounts/token"]},
            {"group": "authentication.k8s.io", "resources": ["tokenreviews"]},
        ],
    }
    silent: list[dict[str, object]] = [
        {
            "level": "None",
            "nonResourceURLs": ["/livez*", "/readyz*", "/healthz*", "/version", "/openapi/*", "/metrics"],
        },
        {"level": "None", "resources": [{"group": "coordination.k8s.io", "resources": ["leases"]}]},
        {
            "level": "None",
            "verbs": ["create", "patch", "update"],
            "resources": [
                {"group": "", "resources": ["events"]},
                {"group": "events.k8s.io", "resources": ["events"]},
            ],
        },
        {
            "level": "None",
            "userGroups": ["system:nodes"],
            "verbs": ["get", "list", "watch", "patch", "update"],
            "resources": [{"group": "", "resources": ["nodes", "nodes/status", "pods/status"]}],
        },
        {
            "level": "None",
            "users": ["system:kube-controller-manager", "system:kube-scheduler", "system:apiserver"],
            "verbs": ["get", "list", "watch"],
        },
        {"level": "None", "userGroups": ["system:serviceaccounts:kube-system"], "verbs": ["get", "list", "watch"]},
        {"level": "None", "verbs": ["watch"]},
    ]
    return {
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["RequestReceived"],
        "omitManagedFields": True,
        "rules": [secrets, *silent, {"level": "Metadata"}],
    }
