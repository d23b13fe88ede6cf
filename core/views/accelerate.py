"""The acceleration page as a notebook."""

from typing import Any

from core.views.view import View


def charges(setting: Any) -> dict[str, float]:
    """The noise multiplier of the paper's tree at n^(1/4) steps, and the price of its running sum there; both exact."""
    from core import privacy
    from core.experiments import accelerate  # here, because it brings torch

    tree, (steps, _) = accelerate.METHODS["accelerated_tree"].mechanism, accelerate.marks(setting)
    return {
        "noise_multiplier": privacy.calibrate(tree, steps, setting.epsilon, setting.delta),
        "tree_price": accelerate.prefix_variance(tree, steps),
    }


def _example() -> Any:
    from core.experiments.accelerate import AccelerateSetting  # here, because it brings torch

    return AccelerateSetting(n_samples=4096, replicates=10)


_SETTING = """\
# %%
from core.experiments import accelerate
from core.experiments.accelerate import AccelerateSetting
from core.figures import chart

setting = AccelerateSetting(
    problem=problem, n_samples=n_samples, dim=dim, label_noise=label_noise, epsilon=epsilon, delta=delta, clip_norm=clip_norm,
    replicates=replicates, seed=seed, device=device,
)
"""

_BODY = """\
# %% [markdown]
# ## Suboptimality against the number of steps, n and the privacy fixed
# %%
*_, seen = accelerate.stream(setting)
print(accelerate.verdict(setting, seen))
chart(accelerate.excess(setting, seen))
# %% [markdown]
# ## The price of each noise, exactly
# %%
chart(accelerate.prefix_noise(setting))
# %% [markdown]
# ## What one example adds stays flat
# %%
chart(accelerate.sensitivity(setting, seen))
# %% [markdown]
# ## From where on the theorem speaks
# %%
print(accelerate.theorem(setting).verdict)
chart(accelerate.theorem(setting))
# %% [markdown]
# ## The headline: the noise charged, and that it buys the privacy asked for
# %%
from core import privacy

tree, (steps, _) = accelerate.METHODS["accelerated_tree"].mechanism, accelerate.marks(setting)
charged = privacy.calibrate(tree, steps, setting.epsilon, setting.delta)
assert abs(charged / noise_multiplier - 1) < 1e-6
assert abs(accelerate.prefix_variance(tree, steps) / tree_price - 1) < 1e-6
assert privacy.gdp_epsilon(privacy.gdp_mu(tree, steps, charged), setting.delta) <= setting.epsilon * (1 + 1e-9)
chart(accelerate.ledger(setting, seen))
"""

VIEWS = {"accelerate": View("Acceleration", _BODY, charges, _SETTING, _example)}
