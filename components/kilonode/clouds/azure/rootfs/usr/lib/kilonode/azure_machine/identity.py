"""The machine's managed identity: tokens from its metadata service.

How to ask, and what is worth asking again, is Azure's: "How to use managed identities on a VM to acquire an access
token", error handling and retry guidance.
"""

import json
from urllib.parse import urlencode

from azure_machine.patience import REPAIR, NotYetError, pause_of
from azure_machine.web import BROKEN, OK, TOO_MANY, Answer, call

SERVICE = "http://169.254.169.254/metadata"
ASK = {"Metadata": "true"}
API, INSTANCE_API = "2018-02-01", "2021-02-01"
MISSING, UPDATED = 404, 410
UPDATING = 10.0  # seconds; after a 410 the service is back within seventy
UNKNOWN = "identity not found"  # said with 400 until an identity that was just assigned has arrived


def token(resource: str, own: str) -> str:
    """A token for ``resource`` as the identity ``own``, its id below the subscription: a policy may give a machine others.

    Raises:
        NotYetError: when there is none; other refusals than those of a moment are asked about again, but rarely.
    """
    asked = {"api-version": API, "resource": resource, "msi_res_id": f"/subscriptions/{_subscription()}/{own}"}
    answer = call("GET", f"{SERVICE}/identity/oauth2/token?{urlencode(asked)}", ASK)
    said = _said(answer.body)
    if answer.status == OK and "access_token" in said:
        return str(said["access_token"])
    raise _refused(answer, said)


def _subscription() -> str:
    """The machine's subscription, which its boot data does not know.

    Raises:
        NotYetError: when the service does not say.
    """
    answer = call("GET", f"{SERVICE}/instance/compute/subscriptionId?api-version={INSTANCE_API}&format=text", ASK)
    if answer.status == OK and answer.body:
        return answer.body.decode()
    raise _refused(answer, _said(answer.body))


def _refused(answer: Answer, said: dict[str, str]) -> NotYetError:
    """Why there is no answer yet, and when to ask again."""
    reason = f"metadata service: {answer.status} {said.get('error', '')} {said.get('error_description', '')}".strip()
    of_a_moment = answer.status in (MISSING, TOO_MANY) or answer.status >= BROKEN or UNKNOWN in reason.lower()
    pause = UPDATING if answer.status == UPDATED else 0 if of_a_moment else REPAIR
    return NotYetError(reason, max(pause, pause_of(answer.headers.get("Retry-After"))))


def _said(body: bytes) -> dict[str, str]:
    """The answer's document; the page of a service that is starting is none."""
    try:
        document = json.loads(body)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
