"""The pages of the workbench as notebooks: Playground, Why it works, Train live, Guide."""

from core import comparison
from core.comparison import Setting
from core.views.view import View


def _gains(setting: Setting) -> dict[str, float]:
    return {f"gain_{arm}": gain for arm, gain in comparison.improvement(setting).items()}


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
    "playground": View("Noises compared at the same privacy", _PLAYGROUND, _gains, _SETTING, Setting),
    "why": View("Why correlated noise works", _WHY, _sensitivities, _SETTING, Setting),
    "train": View(
        "A real run beside exact theory", _TRAIN, _gains, _SETTING, Setting,
        {"data": "Gaussian design", "target": "", "clipping": True},
    ),
    "guide": View("First steps with the package", _GUIDE, _gains, _SETTING, Setting),
}
