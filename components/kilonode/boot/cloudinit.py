"""Boot data as cloud-init user data."""

import gzip

from kilonode.boot.machine import BootData, File, dump_yaml
from kilonode.boot.secrets import key_in
from kilonode.limits import BOOT_DATA, BOOT_DATA_PLAIN

HEADER = "#cloud-config\n"


class KeyInBootDataError(ValueError):
    """A file of boot data holds what opens something; the text says what and where, and never repeats it."""


class BootDataSizeError(ValueError):
    """Boot data is larger than any cloud is sure to take; the text says by how much, and which files are the largest."""


def user_data(boot: BootData) -> str:
    """The ``#cloud-config`` document of a machine.

    Raises:
        KeyInBootDataError: when a file holds a key, a token or a password.
        BootDataSizeError: when it is larger than any cloud is sure to take, gzipped or as it is.
    """
    for file in boot.all_files:
        if what := key_in(file.content):
            raise KeyInBootDataError(
                f"boot data of {boot.hostname}: {file.path} holds {what}; whoever runs anything on the machine reads it "
                "(rule user-data-secrets): keep it in the cloud's secret store"
            )
    document = {
        "preserve_hostname": False,
        "write_files": [_entry(file) for file in boot.all_files],
    }
    text = HEADER + dump_yaml(document)
    for size, limit in ((len(compressed(text)), BOOT_DATA), (len(text.encode()), BOOT_DATA_PLAIN)):
        if size > limit.value:
            largest = sorted(boot.all_files, key=lambda file: -len(file.content))[:3]
            shown = ", ".join(f"{file.path} ({len(file.content)} bytes)" for file in largest)
            raise BootDataSizeError(
                f"boot data of {boot.hostname}: {size} {limit.unit}, the limit is {limit.value} "
                f"({limit.source}); largest files: {shown}; move what all machines share into the image "
                "(rule user-data-size)"
            )
    return text


def compressed(text: str) -> bytes:
    """``text`` gzipped, the same bytes at any time (the header's clock is zero)."""
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def _entry(file: File) -> dict[str, object]:
    return {"path": file.path, "content": file.content, "permissions": f"{file.mode:04o}", "owner": file.owner}
