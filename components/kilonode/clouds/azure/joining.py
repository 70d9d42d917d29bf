"""What nodes of a scale set join with: one credential for the whole pool, as Azure chooses their names and addresses."""

from kilonode.clouds.azure.plan import AzurePool
from kilonode.pki.credentials import unplanned_pool_credentials
from kilonode.pki.kinds import Credential


def joining(pool: AzurePool) -> tuple[Credential, ...]:
    """The rows of a pool's one bundle; its nodes read all of it."""
    return unplanned_pool_credentials(pool.spec.name, pool.node_prefix, pool.spec.range)
