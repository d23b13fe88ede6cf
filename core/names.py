"""The glossary: one name a concept, with its symbol, words, unit, axis scale and the letter that each paper uses.

The Guide page renders `GLOSSARY` and `PAPERS` as they stand; figures take axis titles from them; sliders take the words
for their two ends.
"""

from dataclasses import dataclass, field

from core.check import require


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


_NAMES = (
    # what the noise is
    Name(
        "nu", r"\nu", "nu of nu-FTRL", "How fast nu-correlated noise forgets: its generating function is (1 - (1-nu) z)^(1/2).",
        log=True, low="long memory: noise cancels over about 1/nu steps", high="1: independent noise, DP-SGD",
        letters={"correlated_noise": r"\nu"},
    ),
    Name(
        "correlation", r"\lambda", "lambda of DP-lambda-CGD",
        "Share of the previous step's noise that is taken back: noise z_t - lambda z_{t-1}.",
        low="0: independent noise, DP-SGD", high="towards 1: almost all of the last noise is taken back",
        letters={"correlated_noise": r"1-\nu \text{ (anti-PGD)}", "kan": r"\lambda"},
    ),
    Name("forgetting", r"\nu,\ 1-\lambda", "nu of nu-FTRL, 1 - lambda of DP-lambda-CGD", "How fast the noise forgets: 1 is at once.", "", True),
    Name(
        "noise_multiplier", r"\sigma", "noise multiplier",
        "Standard deviation of the seed noise on the clipped sum, in units of the clip norm.", "clip norm", True,
        letters={
            "correlated_noise": r"\sigma_{\mathsf{dp}}", "adaptive_clipping": r"2\alpha",
            "accelerated": r"\sigma B\beta/(c_{DP}L)", "dp_gd": r"\lambda n/\gamma", "kan": r"\kappa",
        },
    ),
    Name(
        "noising_coef", r"\beta_t", "noising coefficient",
        "First column of B = inverse of C: how much of the seed noise of t steps ago enters this step.",
        letters={
            "correlated_noise": r"\beta_t,\ B", "adaptive_clipping": r"I", "accelerated": "tree", "dp_gd": r"I",
            "kan": r"C^{-1},\ (1,-\lambda)",
        },
    ),
    Name("taken_back", r"-\beta_t", "share taken back", "How much of the noise of t steps ago a step subtracts again.", "", True),
    Name(
        "strategy_coef", r"c_t", "weight still visible",
        "First column of C: how long one example's gradient stays visible in what is released.", "", True,
        letters={"correlated_noise": r"B^{-1}", "kan": r"C"},
    ),
    Name(
        "sensitivity", r"\mathrm{sens}", "sensitivity", "Largest change of C times the gradients when one record changes.",
        "clip norm",
        letters={
            "correlated_noise": r"\gamma_T(B)", "adaptive_clipping": "1",
            "accelerated": r"\sqrt{\lfloor\log_2 T\rfloor+1}", "dp_gd": r"\sqrt{T}", "kan": "App. F",
        },
    ),
    Name("lag", r"t", "steps later", "Position in the first column of a Toeplitz matrix.", "", True),
    Name(
        "frequency", r"\omega", "frequency", "Angle per step of a sinusoid: 0 is what never changes, pi alternates each step.",
        "radians per step", True,
    ),
    Name("power", r"\vert\cdot\vert^2", "power", "Squared absolute value of a frequency response.", "", True),
    # the problem
    Name("dim", r"d", "dimension", "Number of parameters.", "", True, low="few parameters", high="many: independent noise pays for each",
         letters={"correlated_noise": r"d", "adaptive_clipping": r"d", "accelerated": r"p", "dp_gd": r"p", "kan": r"mdp"}),
    Name("decay", r"a", "spectrum exponent", "Eigenvalues of the Hessian are k^-a, k = 1..d.",
         low="0: flat, all directions alike", high="fast decay: few directions matter", letters={"correlated_noise": r"\alpha"}),
    Name("effective_dim", r"d_{\mathrm{eff}}", "effective dimension", "Trace of the Hessian over its largest eigenvalue.", "", True,
         letters={"correlated_noise": r"d_{\mathsf{eff}}"}),
    Name("eigenvalues", r"\lambda_k(H)", "eigenvalues", "Eigenvalues of the Hessian of the risk.", "", True,
         letters={"correlated_noise": r"\lambda_k", "accelerated": r"M"}),
    Name("label_noise", r"\sigma_y", "label noise", "Standard deviation of the labels around the best linear prediction.",
         low="0: labels are exact", high="noisy labels: sampling noise dominates",
         letters={"correlated_noise": r"\sigma_{\mathsf{sgd}}", "adaptive_clipping": r"\sigma", "dp_gd": r"\sigma"}),
    Name("n_samples", r"n", "number of examples", "Records in the data set; each may change hands under the adjacency.", "records", True,
         letters={"correlated_noise": r"T", "adaptive_clipping": r"N", "accelerated": r"n", "dp_gd": r"n", "kan": r"n"}),
    Name("theta", r"\theta", "parameters", "What is learned.",
         letters={"correlated_noise": r"\theta", "adaptive_clipping": r"w", "accelerated": r"x", "dp_gd": r"\theta", "kan": r"W"}),
    Name("data_std", r"s", "standard deviation of the data", "Spread of the records whose mean is estimated.", "clip norm",
         letters={"correlated_noise": r"\sigma_{\mathsf{sgd}}"}),
    # the optimiser
    Name("learning_rate", r"\eta", "learning rate", "Step size of the gradient step.", "", True,
         low="slow, averages noise away", high="fast, noisy; unstable beyond a limit",
         letters={"correlated_noise": r"\eta", "adaptive_clipping": r"\eta", "accelerated": r"1/\beta", "dp_gd": r"\eta", "kan": r"\eta"}),
    Name("steps", r"T", "steps", "Number of private gradient steps.", "",
         low="short run", high="long run: more to protect, more time to converge",
         letters={"correlated_noise": r"T", "adaptive_clipping": r"T", "accelerated": r"T", "dp_gd": r"T", "kan": r"T"}),
    Name("step", r"t", "step", "Gradient steps taken so far."),
    Name("batch_size", r"B", "batch size", "Examples whose clipped gradients are averaged in one step.", "examples",
         low="1: one example a step", high="large: noise on the mean gradient falls as 1/B",
         letters={"adaptive_clipping": r"b", "accelerated": r"B", "dp_gd": r"n", "kan": r"B"}),
    Name("clip_norm", r"C", "clip norm", "Largest norm an example's gradient may have; longer ones are scaled down to it.",
         "gradient norm", True, low="much is clipped: biased, little noise", high="nothing is clipped: no bias, much noise",
         letters={"correlated_noise": r"G", "adaptive_clipping": r"\zeta", "accelerated": r"L", "dp_gd": r"\gamma", "kan": r"C_{\mathrm{clip}}"}),
    Name("width", r"m", "width", "Hidden units of the network.", low="few units: few numbers that noise is added to", high="many units: can learn more, every one gets noise", letters={"kan": r"m"}),
    Name("n_basis", r"p", "basis functions", "Spline basis functions an edge.",
         low="4: one cubic an edge, stiff", high="many: bends anywhere, and every bend gets noise", letters={"kan": r"p"}),
    # what is measured
    Name("excess_risk", r"F(\theta)-F(\theta_\star)", "suboptimality", "Risk above the best achievable, with the 1/2 of the squared loss.",
         "", True, letters={"correlated_noise": r"F(\theta)-F(\theta_\star)", "adaptive_clipping": r"L(w)-L(w^\star)"}),
    Name("asymptotic_excess_risk", r"F_\infty", "stationary suboptimality", "Suboptimality after infinitely many steps.", "", True,
         letters={"correlated_noise": r"F_\infty"}),
    Name("train_loss", r"\hat F(\theta)", "training loss", "Mean loss over the training examples, with the 1/2 of the squared loss.", "", True),
    Name("test_loss", r"L(\theta)", "test loss", "Mean loss over examples that were not trained on."),
    Name("test_accuracy", r"\Pr(y f(x) > 0)", "test accuracy", "Share of the examples not trained on whose label is predicted right."),
    Name("gradient_norm", r"\operatorname{median}\lVert g\rVert", "median gradient norm", "Median length of the gradients in the latest batch, before clipping.", "gradient norm", True),
    Name("gradient_norm_high", r"q_{.9}\lVert g\rVert", "90% quantile of gradient norms", "Length that 90% of the gradients in the latest batch do not exceed, before clipping.", "gradient norm", True),
    Name("noise_norm", r"\lVert\sum_t \xi_t\rVert", "norm of the noise so far", "Length of the sum of all noise added since the start.", "clip norm", letters={"kan": r"\lVert\sum_t\xi_t\rVert_2"}),
    Name("share_projected", r"\Pr(\theta\notin\mathcal{K})", "share of steps projected", "Fraction of steps that left the ball around the start and were projected back onto it."),
    Name("radius", r"R_*", "radius", "Largest distance that the parameters may move from their start.", letters={"kan": r"R_*"}),
    Name("share_clipped", r"\Pr(\lVert g\rVert>C)", "share of gradients clipped", "Fraction of the step's examples whose gradient exceeds the clip norm."),
    Name("ratio", r"F/F_{\mathrm{SGD}}", "times the suboptimality of DP-SGD", "Below 1 is better than independent noise at the same privacy.", "", True),
    Name("knob_growth", r"x/x_0", "times its smallest value", "What is varied, over the smallest value it takes on the chart.", "", True),
    Name("error_growth", r"F_\infty/F_{\infty,0}", "times the suboptimality at the smallest value",
         "Stationary suboptimality, over its exact value at the smallest value of what is varied.", "", True),
    Name("noise_ratio", r"\kappa_\lambda/\kappa_0", "noise, times that of DP-SGD", "Noise at one speed of change over what DP-SGD has there, at the same privacy.", "", True),
    Name("input", r"x_i", "input", "One feature of a record, scaled to [-1, 1]."),
    Name("second_input", r"x_2", "second input", "Another feature of the same record."),
    Name("edge", r"b_{ji}(x_i)", "edge function", "What one unit of a Kolmogorov-Arnold network makes of one input: a learned spline."),
    Name("noise_sum", r"\sum_t \xi_t", "summed noise", "Running sum of the correlated noise: what a path with no curvature feels.", "clip norm"),
    # privacy
    Name("epsilon", r"\varepsilon", "epsilon", "Privacy loss bound of (epsilon, delta)-differential privacy.", "", True,
         low="very private, very noisy", high="hardly private",
         letters={key: r"\varepsilon" for key in PAPERS}),
    Name("delta", r"\delta", "delta", "Probability that the bound epsilon may fail; far below one over the number of records.", "", True,
         low="strict", high="lax", letters={key: r"\delta" for key in PAPERS}),
    Name("rho", r"\rho", "rho of zCDP", "Zero-concentrated differential privacy: rho = gdp_mu^2 / 2 for a Gaussian release.", "", True,
         letters={"correlated_noise": r"\rho", "dp_gd": r"\rho"}),
    Name("gdp_mu", r"\mu", "mu of Gaussian DP", "A release is as revealing as telling N(0,1) from N(mu,1): adjacency times sensitivity over noise multiplier.", "", True,
         letters={"accelerated": r"\mu"}),
    Name("adjacency", r"\simeq", "adjacency", "What changes between neighbouring data sets: one record's gradient zeroed out (factor 1) or replaced (factor 2).",
         letters={"correlated_noise": "zero-out", "adaptive_clipping": "replace", "accelerated": "zero-out", "dp_gd": "replace",
                  "kan": "replace (App. D), zero-out (App. F)"}),
    # the experiment
    Name("replicates", r"R", "replicates", "Independent repetitions, for the confidence bands.", "runs", low="fast, wide bands", high="slow, narrow bands"),
    Name("seed", r"", "seed", "Fixes every random draw; the same seed gives the same run."),
    Name("dataset", r"", "data set", "The records: drawn by formula, or real ones that ship with scikit-learn. Nothing is downloaded."),
    Name("sampling", r"", "batches", "How records join a step. poisson: each by its own coin, which sampling amplifies. fixed_size: exactly so many, drawn afresh; no theorem amplifies those."),
    Name("accountant", r"", "accountant", "Which bound turns (epsilon, delta) into noise for Poisson batches. tight: nearly exact, takes seconds; spectral: at once, and above it."),
    Name("private", r"", "private", "Clip gradients and add noise. Off: what the network learns without privacy."),
    Name("device", r"", "device", "Where tensors live: auto takes a CUDA GPU when there is one."),
)
GLOSSARY = {name.key: name for name in _NAMES}

ARMS = {
    "independent": "DP-SGD (independent noise)",
    "lambda_cgd": "DP-lambda-CGD",
    "nu_ftrl": "nu-DP-FTRL",
    "anti_pgd": "anti-PGD",
    "optimal_counting": "optimal counting (square-root Toeplitz)",
    "optimal_for": "optimal noise for this problem",
    "toeplitz": "Toeplitz noise of chosen coefficients",
    "dense": "noise of a dense strategy matrix",
    "none": "no noise (not private)",
}


def name(key: str) -> Name:
    """The glossary entry. Raises: ValueError for a name that the glossary lacks."""
    require(key in GLOSSARY, "name", key, "a name in core.names.GLOSSARY")
    return GLOSSARY[key]
