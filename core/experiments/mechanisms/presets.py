"""Settings worth seeing, among them those where fancy noise loses to plain DP-SGD."""

from core.comparison import Preset
from core.experiments.mechanisms.setting import NOISES, NoiseSetting

_ALL = ",".join(noise for noise in NOISES if noise not in ("anti_pgd", "toeplitz"))


def presets() -> dict[str, Preset]:
    """The presets by key."""
    return {
        "default": Preset(
            "Slow directions", "Eigenvalues 1/k: many directions are slow, and noise that cancels over a hundred steps wins.",
            NoiseSetting(),
        ),
        "all": Preset("The whole zoo", "Every mechanism of the literature at once, on the same problem.", NoiseSetting(steps=300, shown=_ALL)),
        "flat": Preset(
            "Flat spectrum",
            "All directions are alike and none is slow: the noise that is best for running sums is not best for learning.",
            NoiseSetting(decay=0.0),
        ),
        "ill": Preset(
            "Ill-conditioned",
            "Eigenvalues spread evenly over three decades: what plain noise piles up in the slow ones, correlated noise takes back.",
            NoiseSetting(shape="geometric", decay=3.0),
        ),
        "fast": Preset(
            "Large learning rate", "Gradient descent forgets at once. Long memory costs more than it gives: fancy noise LOSES to plain.",
            NoiseSetting(decay=0.0, learning_rate=0.7, dim=8, correlation=0.99, nu=0.0001),
        ),
        "many": Preset(
            "Many steps",
            "A long run: noise that never forgets (optimal counting) is charged more with every doubling of it; nu-DP-FTRL is not.",
            NoiseSetting(steps=1000, learning_rate=0.3, shown="independent,nu_ftrl,lambda_cgd,optimal_counting,optimal_for"),
        ),
        "power": Preset(
            "A power of two",
            "512 steps: the tree has one block for the whole run, and shines at the last step. One step earlier it does not.",
            NoiseSetting(steps=512, shown="independent,nu_ftrl,binary_tree,honaker,full_honaker,best_toeplitz"),
        ),
        "passes": Preset(
            "Six passes", "Each record is used six times and its uses add up: long memory is charged for all of them together.",
            NoiseSetting(
                steps=300, participations=6,
                shown="independent,nu_ftrl,lambda_cgd,optimal_counting,banded_root,banded_inverse_root,optimal_dense",
            ),
        ),
        "restarts": Preset(
            "Restarts",
            "Every noise begins anew eight times: what is not taken back by then stays for good, and the records are charged less.",
            NoiseSetting(restarts=8, shown="independent,nu_ftrl,optimal_counting,binary_tree,honaker,full_honaker"),
        ),
    }
