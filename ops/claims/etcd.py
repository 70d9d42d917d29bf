"""Claims about the etcd clusters."""

import re
import socket
import ssl

from kilonode.etcd.plan import CLIENT_PORT, METRICS_PORT, PEER_PORT
from ops.claims.claim import must
from ops.etcdctl import count, etcdctl, revision
from ops.ready import Region

_QUOTA = re.compile(r"^etcd_server_quota_backend_bytes (\S+)$", re.MULTILINE)
BOOKKEEPING = 1  # compact_rev_key, which every API server keeps in every etcd it talks to
HANDSHAKE = 30.0  # seconds


def members_agree(region: Region) -> str:
    """Each member, asked by itself, names the same members, the same quota, and https everywhere."""
    seen = []
    for cluster in region.plan.etcd:
        lists = {str(sorted(_member_list(region, url))) for url in cluster.client_urls}
        must(len(lists) == 1, f"{cluster.name}: the members name different lists: {lists}")
        named = _member_list(region, cluster.client_urls[0])
        must({name for name, *_ in named} == {member.name for member in cluster.members}, f"{cluster.name}: {named}")
        urls = [url for _, _, peers, clients in named for url in (*peers, *clients)]
        must(all(url.startswith("https://") for url in urls), f"{cluster.name}: {urls}")
        quotas = set()
        for member in cluster.members:
            match = _QUOTA.search(region.etcd.call(f"https://{member.address}:{METRICS_PORT}/metrics").text)
            quotas.add(int(float(match[1])) if match else None)
        must(quotas == {cluster.spec.quota}, f"{cluster.name}: quotas {quotas}, the spec says {cluster.spec.quota}")
        seen.append(f"{cluster.spec.name}: {len(named)} members, quota {cluster.spec.quota}")
    return "; ".join(seen)


def keys_apart(region: Region) -> str:
    """Keys of an override lie in their own cluster and nowhere else; counted."""
    main, seen = region.plan.main, []
    for cluster in region.plan.etcd:
        if cluster is main:
            continue
        name, prefix = cluster.spec.name, cluster.kind.key_prefix
        # At one revision: no Event that is written, or ends, between the two counts passes for a key that is none.
        now = revision(region, cluster)
        everything, inside = count(region, cluster, "", now), count(region, cluster, prefix, now)
        strays = count(region, main, prefix)
        must(inside > 0, f"no key {prefix}… in {name}")
        must(everything - inside <= BOOKKEEPING, f"{name} holds {everything - inside} keys that are not {prefix}…")
        must(strays == 0, f"{strays} keys {prefix}… in main")
        seen.append(f"{prefix}… {inside} in {name}, 0 in main")
    seen.append(f"{count(region, main, '/registry/')} other keys in main")
    return "; ".join(seen)


def strangers_refused(region: Region) -> str:
    """Client, peer and metrics ports end the handshake of a client that shows no certificate."""
    ports = 0
    for cluster in region.plan.etcd:
        for member in cluster.members:
            for port in (CLIENT_PORT, PEER_PORT, METRICS_PORT):
                answer = _without_certificate(str(member.address), port)
                must("certificate required" in answer or "bad certificate" in answer, f"{member.name}:{port}: {answer}")
                ports += 1
    return f"{ports} ports"


def _member_list(region: Region, url: str) -> list[tuple[str, str, list[str], list[str]]]:
    listed = etcdctl(region, [url], "member", "list")
    return sorted((m["name"], f"{m['ID']:x}", m["peerURLs"], m["clientURLs"]) for m in listed["members"])


def _without_certificate(address: str, port: int) -> str:
    """What the server says; in TLS 1.3 the refusal comes with the first bytes read."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    try:
        with socket.create_connection((address, port), HANDSHAKE) as plain, tls.wrap_socket(plain) as secured:
            secured.sendall(b"GET /health HTTP/1.1\r\nHost: etcd\r\n\r\n")
            return f"answered {secured.recv(200)!r}"
    except (OSError, ssl.SSLError) as error:
        return str(error).replace("_", " ").lower()
