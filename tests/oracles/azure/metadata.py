"""The metadata service: tokens, as "How to use managed identities on a VM to acquire an access token" has them, and the subscription.

A machine that asks for the first time is told 404, then 429 once, as when its identity was assigned a moment ago and many
machines of a host ask at once.
"""

import time

from tests.oracles.azure.cloud import Reply, Request, State, token

NAME = "metadata"
API = "2018-02-01"
TOKEN_PATH, SUBSCRIPTION_PATH = "/metadata/identity/oauth2/token", "/metadata/instance/compute/subscriptionId"
SUBSCRIPTION = "8d10da13-8125-4ba9-a717-bf7490507b3d"
AUDIENCES = ("https://vault.azure.net", "https://storage.azure.com")
FIRST = (404, 429)


def answer(state: State, request: Request) -> Reply:
    """A token, or what the service says instead."""
    wrong = _wrong(request)
    if wrong:
        return _error(400, "invalid_request", wrong, wrong)
    if request.path == SUBSCRIPTION_PATH:
        return Reply(200, SUBSCRIPTION.encode())
    own, asked = state.identity(request.address), request.query.get("msi_res_id", "")
    if not own or asked.lower() not in ("", f"/subscriptions/{SUBSCRIPTION}/{own['identity']}".lower()):
        return _error(400, "invalid_request", "Identity not found")
    if own.get("others") and not asked:
        said = "Multiple user assigned identities exist, please specify the clientId / resourceId of the identity in the token request"
        return _error(400, "invalid_request", said, said)
    turn = state.turn(request.address)
    if turn < len(FIRST):
        return _error(FIRST[turn], "not_ready", "ask again")
    resource, now = request.query["resource"], int(time.time())
    document = {
        "access_token": token(own["client"], resource), "client_id": own["client"], "expires_in": "86399",
        "expires_on": str(now + 86399), "ext_expires_in": "86399", "not_before": str(now), "resource": resource,
        "token_type": "Bearer",
    }  # fmt: skip
    return Reply.document(200, document)


def _wrong(request: Request) -> str:
    if request.method != "GET" or request.path not in (TOKEN_PATH, SUBSCRIPTION_PATH):
        return "no such endpoint"
    if request.headers.get("Metadata") != "true":
        return "Required metadata header not specified"
    if request.headers.get("X-Forwarded-For"):
        return "the request came through a proxy"
    if request.path == SUBSCRIPTION_PATH:
        return "" if request.query.get("format") == "text" else "json is not served here"
    if request.query.get("api-version") != API:
        return "api-version is not known"
    if request.query.get("resource", "").rstrip("/") not in AUDIENCES:
        return "resource is not known"
    return ""


def _error(status: int, error: str, said: str, wrong: str = "") -> Reply:
    return Reply.document(status, {"error": error, "error_description": said}, wrong)
