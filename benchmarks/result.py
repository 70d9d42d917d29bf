"""A benchmark's figure beside its goal."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """A figure that should be at most ``goal``."""

    what: str
    figure: float
    goal: float
    unit: str
    detail: str

    @property
    def met(self) -> bool:
        """Whether the goal is met."""
        return self.figure <= self.goal

    def __str__(self) -> str:
        """One line."""
        return f"{self.what}: {self.figure:.2f}{self.unit} (goal ≤ {self.goal:g}{self.unit}; {self.detail})"
