"""What one machine may know, as the one secret its identity may read: JSON, gzipped, in base64."""

import base64
import gzip
import json
from collections.abc import Mapping

from kilonode.limits import AZURE_SECRET


def bundle(owner: str, files: Mapping[str, str]) -> str:
    """``{path: content}`` of ``owner`` as a secret's value; the same files make the same text at any time.

    Raises:
        ValueError: when it is longer than Key Vault takes; names the largest files, never what is in them.
    """
    text = json.dumps(dict(files), sort_keys=True, separators=(",", ":"))
    made = base64.b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode()
    if len(made) > AZURE_SECRET.value:
        largest = sorted(files, key=lambda path: -len(files[path]))[:3]
        shown = ", ".join(f"{path} ({len(files[path])} characters)" for path in largest)
        raise ValueError(
            f"the secret of {owner} has {len(made)} {AZURE_SECRET.unit}, the limit is {AZURE_SECRET.value} "
            f"({AZURE_SECRET.source}); largest files: {shown}"
        )
    return made
