"""The KAN page as a notebook."""

from dataclasses import replace
from typing import Any

from core.views.view import View


def spectral_charges(setting: Any, data: Any = None) -> dict[str, float]:
    """The noise multipliers at lambda = 0 and at the viewer's lambda by the bound that is there at once.

    `data`: the viewer's own records (`core.problems.datasets.TwoClasses`), None for those of the setting.
    """
    from core.experiments import kan  # here, because it brings torch

    asked, n_samples = replace(setting, accountant="spectral"), len((data or kan.data_of(setting)).labels)
    return {
        "noise_independent": kan.noise_multiplier(asked, 0.0, n_samples),
        "noise_correlated": kan.noise_multiplier(asked, setting.correlation, n_samples),
    }


def _example() -> Any:
    from core.experiments.kan import KanSetting  # here, because it brings torch

    return KanSetting(steps=100, replicates=2, accountant="spectral")


_SETTING = """\
# %%
from core.figures import chart
from core.experiments.kan import KanSetting

setting = KanSetting(
    correlation=correlation, width=width, n_basis=n_basis, dataset=dataset, batch_size=batch_size, steps=steps,
    learning_rate=learning_rate, clip_norm=clip_norm, epsilon=epsilon, delta=delta, replicates=replicates, seed=seed,
    device=device, accountant=accountant, sampling=sampling, private=private,
)
"""

_KAN = """\
# %% [markdown]
# ## What privacy charges for lambda
# %%
from dataclasses import replace
from pathlib import Path

from core.experiments import kan
from core.problems import datasets

own = datasets.from_csv(Path("table.csv").read_bytes(), target, seed) if target else None  # put your table beside this notebook
spectral = replace(setting, accountant="spectral")  # a bound that is there at once; "tight" takes seconds and asks for less
chart(kan.accountant_curves(spectral, own))
# %%
chart(kan.felt_noise(spectral, own))
# %% [markdown]
# ## The run: every lambda on the same batches and the same seed noise
# %%
from core import simulation

plan = kan.plan(setting, own)
snapshots = list(plan.stream())
last, snapshots = snapshots[-1], [simulation.keep(snapshot) for snapshot in snapshots]
chart(kan.outcome(plan, snapshots))
# %%
print(kan.verdict(plan, snapshots))
chart(kan.accuracy_against_correlation(plan, snapshots))
# %%
chart(kan.edge(plan, last, kan.busiest_edges(plan, last)[0]))
# %% [markdown]
# ## The theorem's claims
# %%
chart(kan.not_private_as_printed(setting, own))
# %%
widths = kan.admissible_widths(spectral, own)
print(widths.verdict)
chart(widths)
# %% [markdown]
# ## The headline: the noise charged, and that it buys the privacy asked for
# %%
from core import amplification

n_samples = len((own or kan.data_of(setting)).labels)
for value, expected in ((0.0, noise_independent), (setting.correlation, noise_correlated)):
    charged = kan.noise_multiplier(spectral, value, n_samples)
    assert abs(charged / expected - 1) < 1e-6
    if setting.sampling == "poisson":
        spent = amplification.epsilon(value, setting.batch_size / n_samples, setting.steps, charged, setting.delta)
        print(f"lambda {value:g}: noise multiplier {charged:.4g} spends epsilon {spent:.6g}")
        assert spent <= setting.epsilon * (1 + 1e-9)
"""

VIEWS = {"kan": View("A KAN trained in private with several lambda", _KAN, spectral_charges, _SETTING, _example, {"target": ""})}
