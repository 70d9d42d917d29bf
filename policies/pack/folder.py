"""`kilonode-policies`: where the installed pack is, for `pulumi preview --policy-pack "$(kilonode-policies)"`."""

from pathlib import Path


def main() -> None:
    """Print the folder that has PulumiPolicy.yaml."""
    print(Path(__file__).resolve().parents[1])
