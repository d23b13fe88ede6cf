"""What the network learned, to look at: its edge functions over the data, and where it says which class."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch

from core.check import require
from core.experiments.kan.plan import WITHOUT_NOISE, Plan, label
from core.learners import Snapshot
from core.learners.summary import looks
from core.problems.datasets import TwoClasses
from core.results import Curve, Result

SOURCE = "arXiv 2605.12648, Section 3.1"
POINTS, BINS = 81, 20


class Edge(NamedTuple):
    """The edge from an input to a hidden unit."""

    unit: int
    input: int


def busiest_edges(plan: Plan, snapshot: Snapshot, count: int = 4) -> tuple[Edge, ...]:
    """The edges that training without noise moved most, root mean square over [-1, 1], at most one of each input."""
    points = torch.linspace(-1, 1, POINTS)
    moved = (snapshot.theta[-1, 0] - plan.problem.start.to(snapshot.theta)).cpu()  # the last arm has no noise
    sizes = plan.problem.edge_functions(moved, points).square().mean(-1)  # (width, dim)
    largest, units = sizes.max(dim=0)
    order = largest.argsort(descending=True)[:count].tolist()
    return tuple(Edge(int(units[place]), place) for place in order)


def edge(plan: Plan, snapshot: Snapshot, chosen: Edge) -> Result:
    """One edge function at the start and now, without noise, with DP-SGD's and with the viewer's lambda; one replicate.

    Below them, not to scale, where the records are. An edge is known up to a constant, which the other inputs' edges can
    take over: every curve has mean zero over the records.
    """
    points = torch.linspace(-1, 1, POINTS)
    share, edges, weights = _where(plan.data, chosen.input)
    start = plan.problem.start.cpu()
    thetas = {"start": start} | {plan.arms[place].label: snapshot.theta[place, 0].cpu() for place in _shown(plan)}
    arms = dict(zip([arm.label for arm in plan.arms], looks(plan.arms), strict=True))
    x = points.numpy().astype(float)
    curves = []
    for words, theta in thetas.items():
        y = plan.problem.edge_functions(theta[chosen.unit][None], points)[0, chosen.input].double().numpy()
        curves.append(Curve(words, x, y - weights @ y, arm=arms.get(words, "")))
    spread = max(np.ptp(curve.y) for curve in curves) or 1.0
    floor = min(curve.y.min() for curve in curves) - 0.3 * spread
    heights = floor + 0.25 * spread * np.concatenate([[0.0], np.repeat(share / share.max(), 2), [0.0]])
    filled = {"low": np.full(heights.shape, floor), "high": heights}
    curves.append(Curve("where the records are (not to scale)", np.repeat(edges, 2), heights, **filled))
    return Result(
        title=f"{plan.data.feature_names[chosen.input]} to unit {chosen.unit + 1}",
        curves=tuple(curves),
        x_name="input",
        y_name="edge",
        source=SOURCE,
        caption=(
            f"What unit {chosen.unit + 1} makes of {plan.data.feature_names[chosen.input]} after {snapshot.step:,} steps, in the "
            "first replicate. Where there are no records an edge learns nothing, and noise moves it all the same. "
            "Where the records are is shown as it is: that is not private."
        ),
        settings=asdict(plan.setting) | {"unit": chosen.unit, "input": chosen.input},
    )


def decision_boundary(plan: Plan, snapshot: Snapshot, cells: int = 60, records: int = 150) -> Result:
    """Where the network changes its mind, for data of two inputs: without noise, DP-SGD, the viewer's lambda.

    Points where f crosses zero along the lines of a grid, over some of the records held out; one replicate.

    Raises: ValueError for data of another number of inputs.
    """
    require(plan.problem.dim == 2, "inputs", plan.problem.dim, "2: a boundary is drawn in the plane")
    axis = np.linspace(-1, 1, cells + 1)
    plane = torch.tensor(np.stack(np.meshgrid(axis, axis, indexing="ij"), -1).reshape(-1, 2))
    arms = looks(plan.arms)
    problem = plan.problem.to(torch.device("cpu"))
    curves = []
    for place in _shown(plan):
        scores = problem.predict(snapshot.theta[place : place + 1, :1].cpu(), plane)[0, 0].double().numpy()
        x, y = _crossings(axis, scores.reshape(len(axis), len(axis)))
        curves.append(Curve(plan.arms[place].label, x, y, arm=arms[place], discrete=True))
    inputs, labels = plan.data.test_features[:records], plan.data.test_labels[:records]
    for sign, words in zip((-1, 1), plan.data.classes, strict=True):
        x, y = inputs[labels == sign].T
        curves.append(Curve(f"records: {words}", x, y, discrete=True))
    return Result(
        title="Where the network changes its mind",
        curves=tuple(curves),
        x_name="input",
        y_name="second_input",
        source=SOURCE,
        caption=f"Decision boundaries after {snapshot.step:,} steps in the first replicate, over records that were held out.",
        settings=asdict(plan.setting),
    )


@lru_cache(maxsize=64)
def _where(data: TwoClasses, place: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Histogram of an input with its edges, and the weights (POINTS,) of a drawn curve's mean over the records."""
    values = data.features[:, place]
    share, edges = np.histogram(values, bins=BINS, range=(-1, 1))
    position = (values + 1) / 2 * (POINTS - 1)
    left = np.minimum(position.astype(int), POINTS - 2)
    right = position - left  # the share of the point on the right in a linear interpolation
    weights = np.bincount(left, 1 - right, POINTS) + np.bincount(left + 1, right, POINTS)
    return share, edges, weights / len(values)


def _shown(plan: Plan) -> list[int]:
    """Places of the arms worth drawing: without noise, DP-SGD, and the viewer's lambda."""
    wanted = (WITHOUT_NOISE, label(0.0), label(plan.setting.correlation))
    return sorted({place for place, arm in enumerate(plan.arms) if arm.label in wanted}, reverse=True)


def _crossings(axis: np.ndarray, scores: np.ndarray) -> tuple[Sequence[float], Sequence[float]]:
    """Points (x, y) where `scores` (n, n), over the square of `axis`, cross zero along a row or a column, interpolated."""
    x, y = [], []
    step = axis[1] - axis[0]
    for values, across, along in ((scores, x, y), (scores.T, y, x)):
        before, after = values[:, :-1], values[:, 1:]
        rows, columns = np.nonzero((before > 0) != (after > 0))
        fraction = before[rows, columns] / (before[rows, columns] - after[rows, columns])
        across.extend(axis[rows])
        along.extend(axis[columns] + step * fraction)
    return x, y
