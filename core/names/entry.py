"""What a glossary entry and a paper are, and the papers."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Paper:
    """A paper that the workbench implements. `key` is the name of its module in `core.papers`."""

    key: str
    title: str
    arxiv: str
    short: str


PAPERS = {
    paper.key: paper
    for paper in (
        Paper(
            "correlated_noise",
            "Correlated Noise Provably Beats Independent Noise for Differentially Private Learning",
            "2310.06771",
            "Correlated noise",
        ),
        Paper(
            "adaptive_clipping",
            "(Nearly) Optimal Private Linear Regression via Adaptive Clipping",
            "2207.04686",
            "Adaptive clipping",
        ),
        Paper(
            "accelerated",
            "Optimal Rates for O(1)-Smooth DP-SCO with a Single Epoch and Large Batches",
            "2406.02716",
            "One-epoch SCO",
        ),
        Paper(
            "dp_gd",
            "Private Gradient Descent for Linear Regression: Tighter Error Bounds and Instance-Specific Uncertainty Estimation",
            "2402.13531",
            "DP-GD and intervals",
        ),
        Paper("kan", "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated Noise", "2605.12648", "KAN"),
    )
}


@dataclass(frozen=True)
class Name:
    """One concept of the workbench.

    `symbol` is LaTeX without dollar signs. `unit` is empty for a pure number. `low` and `high` say what the two ends of
    its slider mean. `letters` maps a paper's key to the letter it uses there.
    """

    key: str
    symbol: str
    words: str
    meaning: str
    unit: str = ""
    log: bool = False
    low: str = ""
    high: str = ""
    letters: dict[str, str] = field(default_factory=dict)

    @property
    def axis(self) -> str:
        """Axis title: words, and the unit in brackets when there is one."""
        return self.words + (f" [{self.unit}]" if self.unit else "")
