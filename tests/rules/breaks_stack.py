"""Faults of workloads, user data and the stack as a whole: one for each rule."""

from tests.rules.broken import Break
from tests.rules.changes import CLUSTER, put

BREAKS = (
    Break(
        "user-data-size", lambda of: setattr(of, "more_user_data", "# " + "x" * 66_000),
        ("pool",), "user data", "66741 bytes", "at most 65535 bytes before base64",
    ),
    Break(
        "user-data-secrets", put("more_user_data", "# -----BEGIN EC PRIVATE KEY-----\n"),
        ("pool",), "user data", "a private key", "no key, token or password",
    ),
    Break(
        "image-digest", put("image", "registry.example.com/app:v1"),
        ("app",), "image", "registry.example.com/app:v1", "a name with @sha256:…",
    ),
    Break(
        "image-latest", put("image", "registry.example.com/app"),
        ("app",), "image", "registry.example.com/app", "a version, and its digest",
    ),
    Break(
        "required-tags", lambda of: None,
        ("api", "backups", "card", *CLUSTER), "tags", "without owner", "owner",
        settings=(("names", ("owner",)),),
    ),
    Break("stack-size", lambda of: None, ("foreign-prod",), "resources", "18", "at most 10", settings=(("most", 10),)),
)  # fmt: skip
