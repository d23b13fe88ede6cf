"""Glossary: what the noise is."""

from core.names.entry import Name

NAMES = (
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
)
