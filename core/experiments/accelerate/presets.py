"""Settings worth seeing, among them ones where acceleration loses or nothing is learned."""

from core.comparison import Preset
from core.experiments.accelerate.setting import AccelerateSetting


def presets() -> dict[str, Preset]:
    """The presets by key."""
    return {
        "few": Preset(
            "Few steps are enough",
            "At n^(1/4) steps acceleration wins clearly. At sqrt(n) steps the same without acceleration is ahead.",
            AccelerateSetting(),
        ),
        "logistic": Preset(
            "Two classes",
            "Logistic loss. With the paper's tree noise acceleration gains little beyond 8 steps: noise, not acceleration, decides.",
            AccelerateSetting(problem="logistic"),
        ),
        "private": Preset(
            "More privacy", "At epsilon 0.25 the kind of noise decides as much as acceleration does.", AccelerateSetting(epsilon=0.25)
        ),
        "generous": Preset(
            "Hardly any noise", "At epsilon 8 the noises are alike: what is left is what acceleration does.", AccelerateSetting(epsilon=8.0)
        ),
        "easy": Preset(
            "Three parameters",
            "With so few directions plain steps converge at once: at n^(1/4) steps the accelerated recursion LOSES to DP-SGD.",
            AccelerateSetting(dim=3),
        ),
        "drowned": Preset(
            "Drowned in noise",
            "4,096 records at epsilon 0.05: nobody learns much, recursion and acceleration only carry more noise.",
            AccelerateSetting(n_samples=4096, epsilon=0.05),
        ),
        "tumours": Preset(
            "A real table",
            "427 tumours at epsilon 1: so few records that every method stays far from the best.",
            AccelerateSetting(problem="breast_cancer"),
        ),
    }
