"""Settings worth seeing, among them two where lambda > 0 loses or does not help."""

from core.comparison import Preset
from core.experiments.kan.setting import KanSetting


def presets() -> dict[str, Preset]:
    """The presets by key."""
    return {
        "sweet": Preset(
            "Sweet spot",
            "Each record joins about two steps: privacy charges little for correlation, and lambda = 0.75 wins clearly.",
            KanSetting(),
        ),
        "many": Preset(
            "Many participations",
            "The same data, but each record joins about ten steps: its steps add up, correlation is charged in full, and "
            "the gain fades.",
            KanSetting(batch_size=600),
        ),
        "over": Preset(
            "Over-correlated",
            "lambda = 0.99 needs so much noise that what alternates from step to step drowns the network.",
            KanSetting(correlation=0.99),
        ),
        "without": Preset("No privacy", "What the network learns without noise and clipping.", KanSetting(private=False)),
        "narrow": Preset(
            "Tiny width", "Eight hidden units: fewer numbers to add noise to, and less that they can learn.", KanSetting(width=8)
        ),
        "full_batch": Preset(
            "Full batch",
            "Every record joins every step: no sampling, no amplification, and a record's steps add up whatever lambda is.",
            KanSetting(dataset="breast_cancer", batch_size=427, steps=100),
        ),
    }
