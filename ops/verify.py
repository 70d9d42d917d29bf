"""`make verify`: what a region promises, asserted on the running one."""

from ops.claims import api, etcd, nodes, secrecy, webhooks
from ops.claims.claim import Claim
from ops.ready import Region
from ops.stack import Stack

CLAIMS = (
    Claim("every etcd member agrees on members, quota and TLS", etcd.members_agree),
    Claim("an Event can be written", api.event_is_written),
    Claim("Events are in their own cluster, everything else is not", etcd.keys_apart),
    Claim("etcd's client, peer and metrics ports refuse who shows no certificate", etcd.strangers_refused),
    Claim("a Secret is encrypted in etcd", api.secret_is_encrypted),
    Claim("anonymous requests see the probe paths only", api.anonymous_refused),
    Claim("scheduler and controller manager have a leader", api.controllers_lead),
    Claim("200 pods of a deployment are scheduled", api.pods_are_scheduled),
    Claim("cluster DNS is spread over nodes", nodes.dns_is_spread),
    Claim("pods of different nodes, nodes and API servers reach pods", nodes.pods_are_reached),
    Claim("a Service and its name reach pods on every node; logs and exec work", nodes.services_reach_every_node),
    Claim("a webhook's Service leads API servers to its pod", webhooks.webhooks_are_called_at_their_pods),
    Claim("kubelets answer nobody without a certificate", nodes.kubelets_refuse_strangers),
    Claim("no key is in boot data, process arguments or plain state", secrecy.keys_are_nowhere_else),
)


class UnverifiedError(RuntimeError):
    """At least one claim does not hold."""


def verify(stack: Stack) -> None:
    """Check every claim and print its evidence.

    Raises:
        NotReadyError: when the region is not up.
        UnverifiedError: after all were tried, when one does not hold.
    """
    region, broken = Region(stack), []
    region.require_up()
    for claim in CLAIMS:
        try:
            print(f"ok      {claim.sentence}: {claim.find(region)}", flush=True)
        except Exception as fault:  # noqa: BLE001 - whatever breaks one claim, the others are still asked
            print(f"BROKEN  {claim.sentence}: {fault or type(fault).__name__}", flush=True)
            broken.append(claim.sentence)
    if broken:
        raise UnverifiedError(f"{len(broken)} of {len(CLAIMS)} claims do not hold")
    print(f"{len(CLAIMS)} claims hold")
