"""Compare noise as a notebook."""

from typing import Any

from core.views.view import View


def _headline(setting: Any) -> dict[str, float]:
    """How many times less error than DP-SGD each noise shown ends with."""
    from core.experiments import mechanisms

    independent = mechanisms.plain_risk(setting)
    return {f"gain_{noise}": independent / risk for noise, risk in mechanisms.final_risks(setting).items()}


def _example() -> Any:
    from core.experiments.mechanisms import NoiseSetting

    return NoiseSetting()


_SETTING = """\
# %%
from core.experiments.mechanisms import NoiseSetting
from core.figures import chart

setting = NoiseSetting(
    shown=shown, pictured=pictured, nu=nu, correlation=correlation, bands=bands, participations=participations,
    restarts=restarts, learning_rate=learning_rate, batch_size=batch_size, steps=steps, dim=dim, shape=shape, decay=decay,
    label_noise=label_noise, epsilon=epsilon, delta=delta, multiplier=multiplier, own=own, levels=levels, coefficients=coefficients,
)
"""

_BODY = """\
# %% [markdown]
# ## Every noise on one problem, at the same privacy
# %%
from core.experiments import mechanisms

result = mechanisms.excess_risk(setting)
print(result.verdict)
chart(result)
# %%
chart(mechanisms.characteristics(setting))
# %%
chart(mechanisms.spectra(setting))
# %%
chart(mechanisms.noising_picture(setting))
# %% [markdown]
# ## Your own noise against the optimum
# %%
print(mechanisms.own_numbers(setting))
chart(mechanisms.own_risk(setting))
# %% [markdown]
# ## The headline: how many times less error than DP-SGD each noise ends with
# %%
independent = mechanisms.plain_risk(setting)
for noise, risk in mechanisms.final_risks(setting).items():
    print(f"{noise}: {independent / risk:.4g} times less error than DP-SGD")
    assert abs(independent / risk / globals()[f"gain_{noise}"] - 1) < 1e-6
"""

VIEWS = {"mechanisms": View("Noises of the literature on one problem", _BODY, _headline, _SETTING, _example)}
