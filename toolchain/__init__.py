"""The programs Kilonode drives: found on PATH, or built from Go modules into a cache."""

from toolchain.fault import ToolchainError
from toolchain.provision import data_file, ensure, locate

__all__ = ["ToolchainError", "data_file", "ensure", "locate"]
