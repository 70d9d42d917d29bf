"""What is decided when a region is made and cannot be edited afterwards, with the reason for each."""

from collections.abc import Mapping
from typing import Any

from kilonode.refusal import Refusal
from kilonode.region.spec import RegionSpec

_REASONS = {
    "name": (
        "machines, certificates and etcd members are named by it",
        "make a second region under the new name and move over",
    ),
    "range": (
        "every address, certificate and peer list follows from it",
        "make a second region with the new range and move over",
    ),
    "services": ("ClusterIPs already handed out and the API's certificate lie in it", "keep the range"),
    "domain": ("issued service-account tokens and certificates name it", "keep the domain"),
    "ceiling": (
        "every control-plane machine's boot data is sized by it, so all of them would be replaced",
        "keep the ceiling and grow pools under it, or make a second region",
    ),
}


def birth_facts(spec: RegionSpec) -> dict[str, Any]:
    """The facts a living region is held to, as plain values."""
    return {
        "name": spec.name,
        "ceiling": spec.ceiling,
        "range": str(spec.network.range),
        "services": str(spec.network.services),
        "domain": spec.network.domain,
        "etcd": {cluster.name: cluster.first_members for cluster in spec.etcd},
    }


def refusals(born: Mapping[str, Any], now: Mapping[str, Any]) -> list[Refusal]:
    """Why ``now`` is no edit of the region ``born``; empty when it is."""
    found = [
        Refusal(_field(key), str(now[key]), str(born[key]), why, fix)
        for key, (why, fix) in _REASONS.items()
        if key in born and born[key] != now[key]
    ]
    had, has = born.get("etcd", {}), now["etcd"]
    found += [
        Refusal(
            "etcd",
            f"a new row {name!r}",
            "the rows the region was made with: " + ", ".join(sorted(had)),
            f"the keys of {name!r} already lie in 'main'; the API servers would no longer find them there",
            "take the row out again; a region that needs it is made with it",
        )
        for name in sorted(set(has) - set(had))
    ]
    found += [
        Refusal(
            "etcd",
            f"no row {name!r}",
            "the rows the region was made with: " + ", ".join(sorted(had)),
            f"the keys that lie in {name!r} would be lost",
            f"put the row {{name: {name}}} back",
        )
        for name in sorted(set(had) - set(has))
    ]
    found += [
        Refusal(
            f"etcd {name}: members of the first bootstrap",
            str(has[name]),
            str(had[name]),
            "the list a member boots with is the first bootstrap's for ever; members that come later join the living cluster",
            f"set bornWith: {had[name]} beside the new members",
        )
        for name in sorted(set(had) & set(has))
        if had[name] != has[name]
    ]
    return found


def _field(key: str) -> str:
    return f"network.{key}" if key in ("range", "services", "domain") else key
