"""Key Vault's "Get Secret": https://learn.microsoft.com/rest/api/keyvault/secrets/get-secret/get-secret."""

import hashlib

from tests.oracles.azure.cloud import Reply, Request, State

NAME = "vault"
AUDIENCE = "https://vault.azure.net"
API = "7.4"
LARGEST = 25_000  # characters of a value


def answer(state: State, request: Request) -> Reply:
    """A secret, for whom it is."""
    parts = request.path.strip("/").split("/")
    if request.method != "GET" or len(parts) != 2 or parts[0] != "secrets":
        return _error(404, "NotFound", wrong="no such operation")
    if request.query.get("api-version") != API:
        return _error(400, "BadParameter", wrong="api-version")
    holder = state.holder(request.headers.get("Authorization") or "", AUDIENCE)
    if holder is None:
        challenge = (
            'Bearer authorization="https://login.microsoftonline.com/tenant", resource="https://vault.azure.net"'
        )
        return _error(401, "Unauthorized", wrong="no token for this audience", challenge=challenge)
    secret = parts[1]
    if secret not in holder["secrets"]:
        return _error(403, "Forbidden")
    value = state.read("secrets").get(secret)
    if value is None:
        return _error(404, "SecretNotFound")
    assert len(value) <= LARGEST, f"{secret}: Key Vault would not take {len(value)} characters"
    version = hashlib.sha256(value.encode()).hexdigest()[:32]
    identifier = f"https://{request.host}/secrets/{secret}/{version}"
    return Reply.document(200, {"value": value, "id": identifier, "attributes": {"enabled": True}})


def _error(status: int, code: str, wrong: str = "", challenge: str = "") -> Reply:
    headers = {"WWW-Authenticate": challenge} if challenge else {}
    return Reply.document(status, {"error": {"code": code, "message": "..."}}, wrong, **headers)
