"""What of a rule a team may set otherwise: figures and texts, from where to where, and in which direction they are stricter."""

from dataclasses import dataclass
from typing import Literal

Setting = int | str | bool | tuple[str, ...]
LARGEST = 2**53 - 1
"""Every number of the engine's protocol is a float: of larger ones it tells no two apart."""


@dataclass(frozen=True)
class Parameter:
    """A number or text of a rule that a team may set otherwise; ``stricter`` is which values let less pass, where that can be told."""

    value: Setting
    words: str
    stricter: Literal["less", "more"] | None = None
    least: int = 1
    most: int = LARGEST
    """From where to where a number makes sense; text is never empty, as an empty one is in every other."""

    def takes(self, value: object) -> bool:
        """Whether a team may set it so."""
        if isinstance(self.value, tuple):
            return isinstance(value, tuple) and all(isinstance(each, str) and each.strip() for each in value)
        if type(value) is not type(self.value) or not str(value).strip():
            return False
        return isinstance(value, bool) or not isinstance(value, int) or self.least <= value <= self.most

    @property
    def allowed(self) -> str:
        """In words."""
        if isinstance(self.value, tuple):
            return "a list of texts, none of them empty"
        if isinstance(self.value, bool):
            return "true or false"
        if isinstance(self.value, str):
            return "text that is not empty"
        return f"a whole number from {self.least}" + (f" to {self.most}" if self.most < LARGEST else "")

    def strictest(self, one: Setting, other: Setting) -> Setting:
        """The one that lets less pass; the other, where neither does or nobody can tell."""
        if self.stricter is None:
            return other
        if isinstance(one, tuple) and isinstance(other, tuple):
            return other if set(one) <= set(other) else tuple(dict.fromkeys((*one, *other)))
        return min(one, other) if self.stricter == "less" else max(one, other)

    @property
    def direction(self) -> str:
        """In words."""
        if isinstance(self.value, tuple):
            return "all of"
        return "at most" if self.stricter == "less" else "at least"
