"""Least squares on a real table: the bundled diabetes data or a CSV file of the viewer's."""

import csv
import io
import math
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from core.check import require
from core.problems import Batch
from core.problems.regression import least_squares_factors, moved

MAX_BYTES = 100_000_000
MAX_ROWS = 1_000_000


@dataclass(frozen=True, eq=False)
class Dataset:
    """Standardised records: `features` (n, d) and `labels` (n,), every column of mean 0 and standard deviation 1.

    The means and deviations are taken from the records themselves and count as public: they are outside the privacy
    guarantee. `preparation` says so in words.
    """

    features: np.ndarray
    labels: np.ndarray
    feature_names: tuple[str, ...]
    target: str
    preparation: str = "Every column was standardised with its own mean and standard deviation, which count as public."


def diabetes() -> Dataset:
    """442 patients, 10 measurements, disease progression a year later: scikit-learn's bundled table.

    Reference: Efron, Hastie, Johnstone, Tibshirani (2004), Least Angle Regression.
    """
    from sklearn.datasets import load_diabetes  # a second of imports that only this table needs

    table = load_diabetes(scaled=False)
    values = np.column_stack([table.data, table.target])
    return _standardise(values, [*table.feature_names, "progression"], "progression")


def from_csv(content: str | bytes, target: str) -> Dataset:
    """A dataset from CSV text: a header row, comma-separated numbers below it, `target` naming the column to predict.

    Guarantees: the records are those of the file, in its order; nothing is dropped, filled in or guessed.
    Raises: ValueError with one sentence for whatever `read_csv` refuses.
    """
    values, names = read_csv(content, target)
    return _standardise(values, names, target)


def read_csv(content: str | bytes, target: str) -> tuple[np.ndarray, list[str]]:
    """The numbers (n, columns) of CSV text and the names of its columns, `target` being one of them.

    Raises: ValueError with one sentence for anything else: over MAX_BYTES or MAX_ROWS, not UTF-8, empty, no header, one
    column, duplicate or empty names, unknown target, ragged rows, text or missing or infinite cells, constant columns,
    fewer rows than columns.
    """
    require(len(content) <= MAX_BYTES, "bytes of the CSV file", len(content), f"at most {MAX_BYTES}")
    rows = _rows(_decode(content))
    names = [name.strip() for name in next(rows, (1, []))[1]]
    _check_header(names)
    require(target in names, "target", target, f"one of the columns {names}")
    cells = array("d")
    for line, row in rows:
        cells.extend(_numbers(row, names, line))
    values = np.array(cells).reshape(-1, len(names))
    require(len(values) <= MAX_ROWS, "rows below the header", len(values), f"at most {MAX_ROWS}")
    enough = f"at least as many as columns ({len(names)})"
    require(len(values) >= len(names), "rows below the header", len(values), enough)
    for column, name in zip(values.T, names, strict=True):
        require(column.min() < column.max(), f"column {name!r}", column[0], "at least two different values")
    return values, names


def column_names(content: str | bytes) -> list[str]:
    """The names in the header of CSV text, among which a target can be chosen.

    Raises: ValueError with one sentence for content without a header row of at least two different names.
    """
    header = [name.strip() for name in next(_rows(_decode(content)), (1, []))[1]]
    _check_header(header)
    return header


class TableRegression:
    """Linear regression on the n records of a dataset: F(theta) = 1/(2n) sum_i (<theta, x_i> - y_i)^2, from theta = 0.

    `train_loss` is F(theta) and `excess_risk` is F(theta) - F(theta_ols), both on the table itself: what is learned
    about new records is not measured. `eigenvalues` (d,) are those of its Hessian X'X/n.

    Guarantees: `excess_risk` = `train_loss` - F(theta_ols), and no theta has less than zero.
    """

    outputs = 1
    ridge = 0.0

    def __init__(self, dataset: Dataset, dtype: torch.dtype = torch.float32) -> None:
        self.dataset = dataset
        self.n_samples, self.features = dataset.features.shape
        self.theta_ols = np.linalg.lstsq(dataset.features, dataset.labels, rcond=None)[0]
        self.least_loss = 0.5 * float(np.mean((dataset.features @ self.theta_ols - dataset.labels) ** 2))
        hessian = dataset.features.T @ dataset.features / self.n_samples
        self.eigenvalues = np.linalg.eigvalsh(hessian)[::-1].copy()
        self.dtype = dtype
        self.start = torch.zeros(1, self.features, dtype=dtype)
        self._features = torch.tensor(dataset.features, dtype=dtype)
        self._labels = torch.tensor(dataset.labels, dtype=dtype)
        self._theta_ols = torch.tensor(self.theta_ols, dtype=dtype)
        self._root = torch.tensor(np.linalg.qr(dataset.features / self.n_samples**0.5, mode="r"), dtype=dtype)

    def to(self, device: torch.device) -> "TableRegression":
        return moved(self, device)

    def batch(self, picks: Tensor) -> Batch:
        return Batch(self._features[picks], self._labels[picks])

    def factors(self, theta: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        return least_squares_factors(theta, batch)

    def risk(self, theta: Tensor) -> dict[str, Tensor]:
        # with X/sqrt(n) = QR the quadratic form is |R (theta - theta_ols)|^2 / 2: never negative, and d x d a step
        excess = 0.5 * ((theta[..., 0, :] - self._theta_ols) @ self._root.T).square().sum(-1)
        return {"excess_risk": excess, "train_loss": excess + self.least_loss}


def _decode(content: str | bytes) -> str:
    try:
        text = content if isinstance(content, str) else content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} of the CSV file is not UTF-8, expected text in UTF-8") from error
    return text.removeprefix("\ufeff")


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not blank."""
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        where = f"line {reader.line_num} of the CSV file cannot be read ({error})"
        raise ValueError(f"{where}, expected comma-separated text") from error


def _check_header(names: list[str]) -> None:
    require(bool(names), "CSV file", "", "a header row of column names and rows of numbers below it")
    require(len(names) > 1, "columns", names, "at least two, separated by commas: features and a target")
    require(all(names), "header", names, "a name for every column")
    repeated = sorted(name for name, times in Counter(names).items() if times > 1)
    require(not repeated, "header", repeated, "every column name once")
    require(not all(_is_number(name) for name in names), "header", names, "column names, not numbers")


def _numbers(row: list[str], names: list[str], line: int) -> list[float]:
    try:
        values = [float(cell) for cell in row]
    except ValueError:
        values = []
    if len(values) != len(names) or not all(map(math.isfinite, values)):  # worded only where needed: rows are many
        require(len(row) == len(names), f"cells in line {line}", len(row), f"{len(names)}, one for each column")
        for name, cell in zip(names, row, strict=True):
            finite = _is_number(cell) and math.isfinite(float(cell))
            require(finite, f"column {name!r} in line {line}", cell, "a finite number in every cell")
    return values


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _standardise(values: np.ndarray, names: list[str], target: str) -> Dataset:
    within = values / np.abs(values).max(axis=0)  # so that squares of huge or tiny columns neither overflow nor vanish
    standard = (within - within.mean(axis=0)) / within.std(axis=0)
    at = names.index(target)
    feature_names = tuple(name for name in names if name != target)
    return Dataset(np.delete(standard, at, axis=1), standard[:, at].copy(), feature_names, target)
