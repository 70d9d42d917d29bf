"""A benchmark's figure beside its goal."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Result:
    """A figure that should be at most ``goal``, or at least."""

    what: str
    figure: float
    goal: float
    unit: str
    detail: str
    bound: Literal["≤", "≥"] = "≤"

    @property
    def met(self) -> bool:
        """Whether the goal is met."""
        return self.figure <= self.goal if self.bound == "≤" else self.figure >= self.goal

    def __str__(self) -> str:
        """One line."""
        figure = f"{self.figure:.2f}".rstrip("0").rstrip(".")
        return f"{self.what}: {figure}{self.unit} (goal {self.bound} {self.goal:g}{self.unit}; {self.detail})"
