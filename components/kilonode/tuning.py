"""A tuned setting: its key, its value, why, and where the figure comes from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One tuned setting; tests and docs read the same row the machine gets."""

    key: str
    value: str | int | float | bool
    why: str
    source: str

    @property
    def flag(self) -> str:
        """The row as a command-line flag."""
        return flag(self.key, self.value)


def flag(key: str, value: str | float | bool) -> str:  # noqa: FBT001 - a flag's value may be a boolean
    """``--key=value`` in the notation of Kubernetes programs."""
    return f"--{key}={str(value).lower() if isinstance(value, bool) else value}"
