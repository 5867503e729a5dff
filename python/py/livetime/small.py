"""The values recorded beside the arrays: event codes, beam, process variables, steps of a scan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple


class SmallValue(NamedTuple):
    """A value recorded at an event."""

    source: str
    """The value's source: the sender (LCLS-I), or detector and algorithm (LCLS-II)."""
    name: str
    """Name of the value: `event codes`, `ebeam_charge`, the name of a process variable."""
    unit: str
    """Unit of the value; empty if the format states none."""
    values: tuple[int | float | str, ...]
    """One value, or as many as there are; none if it cannot be read."""
    damage: int
    """Damage that the recorder noted about the value; 0: none."""

    @property
    def value(self) -> Any:
        """The value if there is one, a tuple if there are several, `None` if it cannot be read."""
        return self.values[0] if len(self.values) == 1 else self.values or None


class SmallData(Mapping[str, Any]):
    """All small values of an event: a mapping from `name`, or `source/name`, to the value.

    Names that several sources use mean the first of them; `all` has every one.
    """

    def __init__(self, found: list[tuple[Any, ...]]) -> None:
        self.all: tuple[SmallValue, ...] = tuple(SmallValue(*item) for item in found)
        """Every value with its source and unit, in the order of the file."""
        self._by_name: dict[str, SmallValue] = {}
        for item in self.all:
            self._by_name.setdefault(item.name, item)
            self._by_name[f"{item.source}/{item.name}"] = item

    def __getitem__(self, name: str) -> Any:
        return self._by_name[name].value

    def find(self, text: str) -> list[SmallValue]:
        """The values whose source or name has this text in it, in any case."""
        text = text.lower()
        return [item for item in self.all if text in item.name.lower() or text in item.source.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(item.name for item in self.all))

    def __len__(self) -> int:
        return len({item.name for item in self.all})

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __repr__(self) -> str:
        return f"<SmallData: {', '.join(self)}>" if self.all else "<SmallData: nothing>"

    @property
    def event_codes(self) -> tuple[int, ...]:
        """The codes of the event receivers at this event; empty if there are none."""
        codes: list[int] = []
        for item in self.all:
            if item.name == "event codes":
                codes.extend(int(code) for code in item.values)
        return tuple(codes)
