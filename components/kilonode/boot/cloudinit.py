"""Boot data as cloud-init user data."""

import gzip

from kilonode.boot.machine import BootData, File, dump_yaml
from kilonode.limits import BOOT_DATA

HEADER = "#cloud-config\n"


def user_data(boot: BootData) -> str:
    """The ``#cloud-config`` document of a machine.

    Raises:
        ValueError: when it is larger than :data:`kilonode.limits.BOOT_DATA` gzipped; names the largest files.
    """
    document = {
        "preserve_hostname": False,
        "write_files": [_entry(file) for file in boot.all_files],
    }
    text = HEADER + dump_yaml(document)
    size = len(compressed(text))
    if size > BOOT_DATA.value:
        largest = sorted(boot.all_files, key=lambda file: -len(file.content))[:3]
        shown = ", ".join(f"{file.path} ({len(file.content)} bytes)" for file in largest)
        raise ValueError(
            f"boot data of {boot.hostname}: {size} {BOOT_DATA.unit}, the limit is {BOOT_DATA.value} "
            f"({BOOT_DATA.source}); largest files: {shown}; move what all machines share into the image"
        )
    return text


def compressed(text: str) -> bytes:
    """``text`` gzipped, the same bytes at any time (the header's clock is zero)."""
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def _entry(file: File) -> dict[str, object]:
    return {"path": file.path, "content": file.content, "permissions": f"{file.mode:04o}", "owner": file.owner}
