"""What any experiment gives: a `Result` of curves on named axes, a `Grid` of values, or a `Table`. Knows nothing of charts."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.check import require


@dataclass(frozen=True, eq=False)
class Curve:
    """One line on a chart, with an optional band around it.

    `x`, `y`, `low`, `high` are arrays (n,). `arm` is the glossary name of the mechanism that it belongs to (one colour
    and one dash everywhere), or a name that curves of one kind share (alike within a chart), "" for none. `exact` says
    that no sampling went into it. `discrete` says that its points are measurements to be marked, not a curve to be read
    between them.
    """

    label: str
    x: np.ndarray
    y: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    arm: str = ""
    exact: bool = False
    discrete: bool = False

    def __post_init__(self) -> None:
        require((self.low is None) == (self.high is None), "low", self.low, "given together with high")
        for name in ("x", "y", "low", "high"):
            values = getattr(self, name)
            if values is not None:
                array = np.array(values, dtype=float)
                require(array.shape == np.shape(self.x) and array.ndim == 1, name, array.shape, f"shape {np.shape(self.x)}")
                array.flags.writeable = False
                object.__setattr__(self, name, array)


@dataclass(frozen=True, eq=False)
class Result:
    """Curves that share axes, and where they come from.

    `x_name`, `y_name`: glossary names (`core.names`). `band`: what low..high is, in words ("95% confidence interval of
    the mean of 40 replicates"). `source`: paper and equation or figure. `status`: empty when all went well, else a
    sentence; divergence is a finding, not an exception. `verdict`: what the curves say, in plain words. `settings`:
    every parameter that made it, so that it can be made again. `marks`: (x, words) of vertical lines worth reading.
    """

    title: str
    curves: tuple[Curve, ...]
    x_name: str
    y_name: str
    source: str
    caption: str = ""
    band: str = ""
    status: str = ""
    verdict: str = ""
    settings: dict = field(default_factory=dict)
    marks: tuple[tuple[float, str], ...] = ()

    def curve(self, label: str) -> Curve:
        """The curve with this label. Raises: ValueError listing the labels there are."""
        labels = [curve.label for curve in self.curves]
        require(label in labels, "label", label, f"one of {labels}")
        return self.curves[labels.index(label)]

    def moved(self, label: str, x: np.ndarray | None = None, y: np.ndarray | None = None) -> "Result":
        """The same result with one curve at another place: a frame of a chart that follows a slider."""
        old = self.curve(label)
        new = replace(old, x=old.x if x is None else x, y=old.y if y is None else y)
        return replace(self, curves=tuple(new if curve is old else curve for curve in self.curves))

    def to_csv(self) -> str:
        """Long table: label, x, y, low, high, one row a point, preceded by comment lines for source and settings."""
        rows = [
            (curve.label, x, y, *band)
            for curve in self.curves
            for x, y, band in zip(curve.x, curve.y, _bands(curve), strict=True)
        ]
        return _csv(self, ("curve", self.x_name, self.y_name, "low", "high"), rows)


@dataclass(frozen=True, eq=False)
class Grid:
    """Values over a rectangle, drawn as a heat map, and where they come from; the other fields are those of `Result`.

    `values` (m, n) belong to `y` (m,) down and `x` (n,) across; NaN is a hole. `value_name` is a glossary name like
    `x_name` and `y_name`; zero is special to the eye, so that signs can be told apart.
    """

    title: str
    x: np.ndarray
    y: np.ndarray
    values: np.ndarray
    x_name: str
    y_name: str
    value_name: str
    source: str
    caption: str = ""
    status: str = ""
    verdict: str = ""
    settings: dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("x", "y", "values"):
            array = np.array(getattr(self, name), dtype=float)
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        shape = (self.y.size, self.x.size)
        fits = self.x.ndim == self.y.ndim == 1 and self.values.shape == shape
        require(fits, "values", self.values.shape, f"shape {shape}, one row for each y and one column for each x")

    def to_csv(self) -> str:
        """Long table: x, y, value, one row a cell, preceded by comment lines for source and settings."""
        rows = [(x, y, value) for y, line in zip(self.y, self.values, strict=True) for x, value in zip(self.x, line, strict=True)]
        return _csv(self, (self.x_name, self.y_name, self.value_name), rows)


@dataclass(frozen=True, eq=False)
class Table:
    """Rows under named columns, and where they come from; the other fields are those of `Result`."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple, ...]
    source: str
    caption: str = ""
    status: str = ""
    verdict: str = ""
    settings: dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        for row in self.rows:
            require(len(row) == len(self.columns), "row", row, f"{len(self.columns)} entries")

    def to_csv(self) -> str:
        """The table as CSV, preceded by comment lines for source and settings."""
        return _csv(self, self.columns, self.rows)


def _bands(curve: Curve) -> Sequence[tuple]:
    return [("", "")] * len(curve.x) if curve.low is None else list(zip(curve.low, curve.high, strict=True))


def _csv(result: Result | Grid | Table, header: Sequence[str], rows: Sequence[Sequence]) -> str:
    text = io.StringIO()
    for name, value in {"title": result.title, "source": result.source, **result.settings}.items():
        text.write(f"# {name}: {value}\n")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
