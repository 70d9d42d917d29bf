"""Key Vault and blob storage behind one address, told apart by the name a request asks for."""

from tests.oracles.azure import storage, vault
from tests.oracles.azure.cloud import Reply, Request, State


def name(request: Request) -> str:
    """Which of the two is asked."""
    return vault.NAME if request.host.endswith(".vault.azure.net") else storage.NAME


def answer(state: State, request: Request) -> Reply:
    """What it says."""
    return (vault if name(request) == vault.NAME else storage).answer(state, request)
