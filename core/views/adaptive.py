"""The adaptive clipping page as a notebook."""

from typing import Any

from core.views.view import View


def charges(setting: Any) -> dict[str, float]:
    """The noise multiplier of the exact method, and what the worst-off record spends by the ledger."""
    from core.experiments.adaptive.methods import exact, printed  # here, because it brings torch
    from core.learners.adaptive import ledger_of
    from core.learners.ledger import spent

    (arm, _), config = exact(setting)
    as_printed = printed(setting, setting.label_noise)
    return {
        "noise_multiplier": arm.noise_multiplier,
        "rho_exact": spent(ledger_of([arm], config)),
        "rho_as_printed": spent(ledger_of(*as_printed)),
    }


def _example() -> Any:
    from core.experiments.adaptive import AdaptiveSetting  # here, because it brings torch

    return AdaptiveSetting(n_samples=8000, replicates=10)


_SETTING = """\
# %%
from core.experiments import adaptive
from core.experiments.adaptive import AdaptiveSetting
from core.figures import chart

setting = AdaptiveSetting(
    dim=dim, n_samples=n_samples, epsilon=epsilon, delta=delta, steps=steps, correlation=correlation, label_noise=label_noise,
    as_printed=as_printed, rungs=rungs, replicates=replicates, seed=seed, device=device,
)
"""

_BODY = """\
# %% [markdown]
# ## Excess risk against label noise
# %%
*_, outcome = adaptive.stream(setting)
print(adaptive.verdict(outcome))
chart(adaptive.against_label_noise(outcome))
# %%
chart(adaptive.excess_table(outcome))
# %% [markdown]
# ## The clip norm, and what it cuts
# %%
chart(adaptive.thresholds(outcome))
# %%
chart(adaptive.gradient_norms(outcome))
# %% [markdown]
# ## How many examples it takes
# %%
chart(adaptive.against_sample_size(outcome))
# %% [markdown]
# ## Correlated noise under a clip norm that moves
# %%
chart(adaptive.against_steps(outcome))
# %% [markdown]
# ## The headline: what is spent
# %%
from core import privacy
from core.experiments.adaptive.methods import exact, printed
from core.learners.adaptive import ledger_of
from core.learners.ledger import spent

(arm, _), config = exact(setting)
assert abs(arm.noise_multiplier / noise_multiplier - 1) < 1e-6
assert abs(spent(ledger_of([arm], config)) / rho_exact - 1) < 1e-6
assert abs(spent(ledger_of(*printed(setting, setting.label_noise))) / rho_as_printed - 1) < 1e-6
assert privacy.gdp_epsilon((2 * rho_exact) ** 0.5, setting.delta) <= setting.epsilon * (1 + 1e-6)
chart(adaptive.ledger(setting))
"""

VIEWS = {"adaptive": View("Adaptive clipping", _BODY, charges, _SETTING, _example)}
