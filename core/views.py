"""Every page of the workbench as a notebook: the same functions, the same settings, and a check of the headline."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from core import comparison, notebook, papers
from core.check import choice
from core.comparison import Setting

ADDRESS = "http://127.0.0.1:8501/"


@dataclass(frozen=True)
class View:
    """A page as a notebook: `body` is percent-format source, `headline` gives the numbers that its last cell asserts.

    `choices`: what a page lets choose beyond the setting, with its defaults. `setting`: the cell that makes the setting.
    """

    title: str
    body: str
    headline: Callable[[Any], dict[str, float]]
    setting: str
    choices: dict[str, bool | str] = field(default_factory=dict)


def notebook_of(page: str, setting: Any, permalink: str, **choices: bool | str) -> bytes:
    """The .ipynb of a page at a setting, which can be found again at `permalink`; `choices` of the page go before defaults.

    Guarantees: it needs `core` alone, shows the page's headline figure, and its last cell asserts the headline.
    Raises: ValueError for a page that there is not.
    """
    view = VIEWS[choice("page", page, tuple(VIEWS))]
    headline = {name: float(f"{value:.9g}") for name, value in view.headline(setting).items()}  # alike on every machine
    return notebook.build(view.title, asdict(setting) | view.choices | choices | headline, permalink, view.setting + view.body)


def all_notebooks() -> dict[str, bytes]:
    """The notebook of every page at the default setting, by page."""
    from core.kan_experiment import KanSetting  # here, because it brings torch

    settings = {page: Setting() for page in VIEWS} | {"kan": KanSetting(steps=100, replicates=2, accountant="spectral")}
    pages = {
        page: notebook_of(page, setting, ADDRESS + ("" if page == "playground" else page) + _query(setting))
        for page, setting in settings.items()
    }
    entry = papers.correlated_noise.figure1
    return pages | {"papers": notebook.of_entry(entry, entry(), "quick", 0, ADDRESS + "papers")}


def _gains(setting: Setting) -> dict[str, float]:
    return {f"gain_{arm}": gain for arm, gain in comparison.improvement(setting).items()}


def _spectral_charges(setting: Any) -> dict[str, float]:
    """The noise multipliers at lambda = 0 and at the viewer's lambda by the bound that is there at once."""
    from core import kan_experiment  # here, because it brings torch

    asked, n_samples = replace(setting, accountant="spectral"), len(kan_experiment.data_of(setting).labels)
    return {
        "noise_independent": kan_experiment.noise_multiplier(asked, 0.0, n_samples),
        "noise_correlated": kan_experiment.noise_multiplier(asked, setting.correlation, n_samples),
    }


def _query(setting: Any) -> str:
    return f"?{urlencode(setting.changes())}" if setting.changes() else ""


def _sensitivities(setting: Setting) -> dict[str, float]:
    return {f"sensitivity_{arm}": chosen.sensitivity(setting.steps) for arm, chosen in comparison.arms(setting).items()}


_SETTING = """\
# %%
from core.comparison import Setting
from core.figures import chart

setting = Setting(
    nu=nu, correlation=correlation, learning_rate=learning_rate, batch_size=batch_size, steps=steps, dim=dim,
    decay=decay, label_noise=label_noise, epsilon=epsilon, delta=delta, clip_norm=clip_norm,
    replicates=replicates, seed=seed, device=device,
)
"""

_KAN_SETTING = """\
# %%
from core.figures import chart
from core.kan_experiment import KanSetting

setting = KanSetting(
    correlation=correlation, width=width, n_basis=n_basis, dataset=dataset, batch_size=batch_size, steps=steps,
    learning_rate=learning_rate, clip_norm=clip_norm, epsilon=epsilon, delta=delta, replicates=replicates, seed=seed,
    device=device, accountant=accountant, sampling=sampling, private=private,
)
"""

_PLAYGROUND = """\
# %% [markdown]
# ## Suboptimality at the same privacy
# Exact, without sampling: `core.theory.quadratic.excess_risk_curve` under four noises of the same (epsilon, delta).
# %%
from core import comparison

result = comparison.excess_risk(setting)
print(result.verdict)
chart(result)
# %%
from core.figures import drag_chart

drag_chart("nu", comparison.risk_frames(setting, "nu"))  # its slider moves the curve without running this cell again
# %%
chart(comparison.noise_spectrum(setting))
# %%
chart(comparison.risk_against_memory(setting))
# %% [markdown]
# ## The headline: how many times less error than DP-SGD
# %%
gains = comparison.improvement(setting)
print({arm: round(gain, 4) for arm, gain in gains.items()})
assert abs(gains["nu_ftrl"] / gain_nu_ftrl - 1) < 1e-6
assert abs(gains["lambda_cgd"] / gain_lambda_cgd - 1) < 1e-6
"""

_WHY = """\
# %% [markdown]
# ## What is taken back, and what stays visible for it
# %%
from core import comparison

chart(comparison.running_sum(setting))
# %%
chart(comparison.taken_back(setting))
# %%
chart(comparison.felt_spectrum(setting))
# %% [markdown]
# ## The headline: what privacy charges for each correlation
# %%
for arm, mechanism in comparison.arms(setting).items():
    expected = globals()[f"sensitivity_{arm}"]
    print(arm, mechanism.sensitivity(setting.steps))
    assert abs(mechanism.sensitivity(setting.steps) / expected - 1) < 1e-6
"""

_TRAIN = """\
# %% [markdown]
# ## The run, with 95% bands over replicates and the exact theory behind it
# %%
from pathlib import Path

from core import simulation
from core.problems import tables

if data == "Gaussian design":
    plan = simulation.gaussian(setting, clipping)
elif data == "Diabetes (real)":
    plan = simulation.table(setting, tables.diabetes(), clipping)
else:  # put your table beside this notebook
    plan = simulation.table(setting, tables.from_csv(Path("table.csv").read_bytes(), target), clipping)
snapshots = [simulation.keep(snapshot) for snapshot in plan.stream()]
chart(simulation.outcome(plan, snapshots))
# %%
ledger = simulation.ledger(plan)
for row in ledger.rows:
    print(dict(zip(ledger.columns, row)))
# %% [markdown]
# ## The headline: the exact gain, and no arm above the privacy asked for
# %%
from core import comparison

assert abs(comparison.improvement(setting)["nu_ftrl"] / gain_nu_ftrl - 1) < 1e-6
spent = [row[ledger.columns.index("epsilon")] for row in ledger.rows]
assert max(spent) <= setting.epsilon if clipping else min(spent) == float("inf")
"""

_KAN = """\
# %% [markdown]
# ## What privacy charges for lambda
# %%
from dataclasses import replace

from core import kan_experiment as kan

spectral = replace(setting, accountant="spectral")  # a bound that is there at once; "tight" takes seconds and asks for less
chart(kan.accountant_curves(spectral))
# %%
chart(kan.felt_noise(spectral))
# %% [markdown]
# ## The run: every lambda on the same batches and the same seed noise
# %%
from core import simulation

plan = kan.plan(setting)
snapshots = list(plan.stream())
last, snapshots = snapshots[-1], [simulation.keep(snapshot) for snapshot in snapshots]
chart(kan.outcome(plan, snapshots))
# %%
print(kan.verdict(plan, snapshots))
chart(kan.accuracy_against_correlation(plan, snapshots))
# %%
chart(kan.edge(plan, last, kan.busiest_edges(plan, last)[0]))
# %% [markdown]
# ## The headline: the noise charged, and that it buys the privacy asked for
# %%
from core import amplification

n_samples = len(kan.data_of(setting).labels)
for value, expected in ((0.0, noise_independent), (setting.correlation, noise_correlated)):
    charged = kan.noise_multiplier(spectral, value, n_samples)
    assert abs(charged / expected - 1) < 1e-6
    if setting.sampling == "poisson":
        spent = amplification.epsilon(value, setting.batch_size / n_samples, setting.steps, charged, setting.delta)
        print(f"lambda {value:g}: noise multiplier {charged:.4g} spends epsilon {spent:.6g}")
        assert spent <= setting.epsilon * (1 + 1e-9)
"""

_GUIDE = """\
# %% [markdown]
# ## `core` in six lines
# One mechanism, its noise at a given privacy, and the exact error it leaves.
# %%
from core import mechanisms, privacy
from core.theory import quadratic

mechanism = mechanisms.nu_ftrl(setting.nu)
noise_multiplier = privacy.calibrate(mechanism, setting.steps, setting.epsilon, setting.delta)
noise_std = noise_multiplier * setting.clip_norm / setting.batch_size
curve = quadratic.excess_risk_curve(
    noising_coef=mechanism.noising_coef(setting.steps), noise_std=noise_std, **setting.problem()
)
print(noise_multiplier, curve[-1])
# %%
from core import comparison

chart(comparison.excess_risk(setting))
# %%
independent = comparison.final_risks(setting)["independent"]
assert abs(independent / curve[-1] / gain_nu_ftrl - 1) < 1e-6
"""

VIEWS = {
    "playground": View("Noises compared at the same privacy", _PLAYGROUND, _gains, _SETTING),
    "why": View("Why correlated noise works", _WHY, _sensitivities, _SETTING),
    "train": View(
        "A real run beside exact theory", _TRAIN, _gains, _SETTING,
        {"data": "Gaussian design", "target": "", "clipping": True},
    ),
    "kan": View("A KAN trained in private with several lambda", _KAN, _spectral_charges, _KAN_SETTING),
    "guide": View("First steps with the package", _GUIDE, _gains, _SETTING),
}


if __name__ == "__main__":
    from pathlib import Path

    notebook.write_all(Path("assets/notebooks"), all_notebooks())
