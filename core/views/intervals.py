"""The confidence intervals page as a notebook."""

from typing import Any

from core.views.view import View


def coverage_and_width(setting: Any, own: Any = None) -> dict[str, float]:
    """Mean coverage of least squares and mean width of the interval, in theory.

    `own`: the viewer's own table (`core.experiments.intervals.OwnTable`), without which nothing is known of a setting that asks
    for one. Nothing, too, where the controls do not go together: the notebook says so as the page does.
    """
    from core.experiments import intervals  # here, so that the other notebooks do without

    try:
        expected = intervals.expected(setting, own)
        return {"coverage": float(expected.of_theta_hat_clipped.coverage.mean()), "width": float(expected.of_huber.width.mean())}
    except ValueError:
        return {}


def _example() -> Any:
    from core.experiments.intervals import IntervalSetting

    return IntervalSetting()


_SETTING = """\
# %%
from pathlib import Path

from core.experiments import intervals
from core.experiments.intervals import IntervalSetting, OwnTable
from core.figures import chart

setting = IntervalSetting(
    design=design, n_samples=n_samples, dim=dim, rho=rho, delta=delta, clip_factor=clip_factor, learning_rate=learning_rate,
    steps=steps, groups=groups, burn_in=burn_in, construction=construction, schedule=schedule, replicates=replicates, seed=seed,
    device=device,
)
own = OwnTable(Path("table.csv").read_bytes(), target) if design == "own_table" else None  # put your table beside this notebook
expected = intervals.expected(setting, own)
"""

_BODY = """\
# %% [markdown]
# ## The run: iterates in their cloud, and the intervals
# %%
*_, chains = intervals.plan(setting, own).stream()
chart(intervals.cloud(expected, coordinate - 1, second_coordinate - 1, chains.step, chains))
# %%
chart(intervals.chain(chains, coordinate - 1))
# %%
chart(intervals.caterpillar(chains, coordinate - 1))
# %%
print(intervals.coverage_verdict(chains))
chart(intervals.coverage_so_far(chains))
# %%
print(intervals.what_each_covers(expected))
chart(intervals.coefficients(chains))
# %% [markdown]
# ## What is exact: coverage and width against gradients in all
# %%
chart(intervals.against_steps(expected, "coverage", chains))
# %%
chart(intervals.against_steps(expected, "interval_width", chains))
# %% [markdown]
# ## What clipping does
# %%
print(intervals.clipping_verdict(expected, chains))
chart(intervals.coverage_against_clipping(expected, chains))
# %% [markdown]
# ## The headline: coverage and width in theory, and no more spent than rho
# %%
chart(intervals.ledger(expected))
# %%
spent = dict(intervals.ledger(expected).rows)["rho spent, from the noise that is added"]
assert spent <= setting.rho
assert abs(expected.of_theta_hat_clipped.coverage.mean() - coverage) < 1e-6
assert abs(expected.of_huber.width.mean() / width - 1) < 1e-6
"""

VIEWS = {
    "intervals": View(
        "Confidence intervals from a private run", _BODY, coverage_and_width, _SETTING, _example,
        {"coordinate": 1, "second_coordinate": 2, "target": ""},
    )
}
