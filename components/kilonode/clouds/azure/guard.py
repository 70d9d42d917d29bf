"""Options of every resource on Azure: a change that cannot be made in place makes another resource, the old one gone first."""

import re
from collections.abc import Iterable

import pulumi

from kilonode.clouds.azure.immutable import replace_on

EDITABLE = frozenset(
    {
        "authorization:RoleDefinition",
        "keyvault:Secret",
        "network:VirtualNetworkPeering",
        "privatedns:PrivateRecordSet",
        "privatedns:PrivateZone",
        "storage:BlobContainerImmutabilityPolicy",
        "storage:ManagementPolicy",
    }
)
"""Kinds that have been looked at and of which nothing but parts of their ids is immutable, beside what the table says."""

_VERSIONED = re.compile(r"azure-native:\w+/v\d{8}\w*:\w+")


def guarded(
    kind: str,
    opts: pulumi.ResourceOptions,
    *after: pulumi.Resource,
    protect: bool | None = None,
    ignore: Iterable[str] = (),
    secret: Iterable[str] = (),
) -> pulumi.ResourceOptions:
    """``opts`` for a resource of ``kind`` that is made ``after`` others.

    Names are planned, so a new resource never stands beside the old one of its name: that one is deleted first.

    Raises:
        KeyError: when nobody has looked at what of ``kind`` cannot change in place.
    """
    own = pulumi.ResourceOptions(
        depends_on=list(after),
        replace_on_changes=_replacing(kind),
        delete_before_replace=True,
        protect=protect,
        ignore_changes=list(ignore) or None,
        additional_secret_outputs=list(secret) or None,
        transformations=[without_versions],
    )
    return pulumi.ResourceOptions.merge(opts, own)


def _replacing(kind: str) -> list[str]:
    try:
        return replace_on(kind)
    except KeyError:
        if kind in EDITABLE:
            return []
        raise


def without_versions(given: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
    """Take away the SDK's aliases of types that name a version of an API, of which no resource of a region ever was.

    There are 5,000 in a large region, and each waits in the SDK until its parent is registered: more than a quarter of a preview.
    Aliases of types that have been renamed stay.
    """
    if not given.opts.aliases:
        return None
    kept = [each for each in given.opts.aliases if not _versioned(each)]
    # A copy: the SDK hands in options that others may share.
    opts = pulumi.ResourceOptions.merge(given.opts, None)
    opts.aliases = kept
    return pulumi.ResourceTransformationResult(given.props, opts)


def _versioned(alias: object) -> bool:
    return isinstance(alias, pulumi.Alias) and _VERSIONED.fullmatch(str(alias.type_)) is not None
