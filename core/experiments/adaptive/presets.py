"""Settings worth seeing, among them two where adaptive clipping loses."""

from core.comparison import Preset
from core.experiments.adaptive.setting import AdaptiveSetting


def presets() -> dict[str, Preset]:
    """The presets by key."""
    return {
        "clean": Preset(
            "Clean labels win",
            "At label noise .01 the gradients shrink, the clip norm follows, and the noise with it: no fixed clip keeps up.",
            AdaptiveSetting(),
        ),
        "noisy": Preset(
            "Noisy labels LOSE",
            "At label noise 1 the gradients never shrink. There is nothing to adapt to, and a well-chosen fixed clip is ahead.",
            AdaptiveSetting(label_noise=1.0),
        ),
        "few": Preset(
            "Too few examples LOSE",
            "80 examples a parameter: too few for the search, so the clip norm is left to chance, errors grow, and a fixed clip is ahead.",
            AdaptiveSetting(n_samples=800, label_noise=0.1),
        ),
        "printed": Preset(
            "As printed",
            "21 noisy counts a step with noise for 20 of them, one record counted twice, and a clip norm for the worst case: little is learned, and some runs run away.",
            AdaptiveSetting(as_printed=True),
        ),
        "rungs": Preset(
            "The paper's own constants",
            "A search from B/N^200 upwards: that number is 0 in double precision, its 2858 counts drown in their noise, nothing is learned.",
            AdaptiveSetting(as_printed=True, rungs=2858),
        ),
        "steps": Preset(
            "Many small batches",
            "24 steps instead of 6: each is noisier, noise adds up, and correlated noise takes a part of it back.",
            AdaptiveSetting(steps=24, correlation=0.6, label_noise=1.0),
        ),
        "strict": Preset(
            "Strict privacy", "Epsilon .3 needs more examples: the adaptive line starts later.", AdaptiveSetting(epsilon=0.3)
        ),
    }
