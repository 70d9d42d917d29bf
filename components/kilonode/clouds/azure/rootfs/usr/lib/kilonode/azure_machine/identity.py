"""The machine's managed identity: tokens from its metadata service.

How to ask, and what is worth asking again, is Azure's: "How to use managed identities on a VM to acquire an access
token", error handling and retry guidance.
"""

import json
from urllib.parse import urlencode

from azure_machine.patience import REPAIR, NotYetError, pause_of
from azure_machine.web import BROKEN, OK, TOO_MANY, call

ENDPOINT = "http://169.254.169.254/metadata/identity/oauth2/token"
API = "2018-02-01"
MISSING, UPDATED = 404, 410
UPDATING = 10.0  # seconds; after a 410 the service is back within seventy
UNKNOWN = "identity not found"  # said with 400 until an identity that was just assigned has arrived


def token(resource: str, client: str = "") -> str:
    """A token for ``resource``; ``client`` names one of several identities, empty is for the machine's only one.

    Raises:
        NotYetError: when there is none; other refusals than those of a moment are asked about again, but rarely.
    """
    asked = {"api-version": API, "resource": resource} | ({"client_id": client} if client else {})
    answer = call("GET", f"{ENDPOINT}?{urlencode(asked)}", {"Metadata": "true"})
    said = _said(answer.body)
    if answer.status == OK and "access_token" in said:
        return str(said["access_token"])
    reason = f"metadata service: {answer.status} {said.get('error', '')} {said.get('error_description', '')}".strip()
    of_a_moment = answer.status in (MISSING, TOO_MANY) or answer.status >= BROKEN or UNKNOWN in reason.lower()
    pause = UPDATING if answer.status == UPDATED else 0 if of_a_moment else REPAIR
    raise NotYetError(reason, max(pause, pause_of(answer.headers.get("Retry-After"))))


def _said(body: bytes) -> dict[str, str]:
    """The answer's document; the page of a service that is starting is none."""
    try:
        document = json.loads(body)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
