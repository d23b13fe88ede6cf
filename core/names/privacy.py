"""Glossary: what is promised."""

from core.names.entry import PAPERS, Name

NAMES = (
    Name("epsilon", r"\varepsilon", "epsilon", "Privacy loss bound of (epsilon, delta)-differential privacy.", "", True,
         low="very private, very noisy", high="hardly private",
         letters={key: r"\varepsilon" for key in PAPERS}),
    Name("delta", r"\delta", "delta", "Probability that the bound epsilon may fail; far below one over the number of records.", "", True,
         low="strict", high="lax", letters={key: r"\delta" for key in PAPERS}),
    Name("rho", r"\rho", "rho of zCDP", "Zero-concentrated differential privacy: rho = gdp_mu^2 / 2 for a Gaussian release.", "", True,
         low="very private, very noisy", high="hardly private",
         letters={"correlated_noise": r"\rho", "dp_gd": r"\rho"}),
    Name("rho_spent", r"\rho_{\le t}", "rho spent", "The part of the budget rho that the steps so far have spent, all published runs together."),
    Name("gdp_mu", r"\mu", "mu of Gaussian DP", "A release is as revealing as telling N(0,1) from N(mu,1): adjacency times sensitivity over noise multiplier.", "", True,
         letters={"accelerated": r"\mu"}),
    Name("adjacency", r"\simeq", "adjacency", "What changes between neighbouring data sets: one record's gradient zeroed out (factor 1) or replaced (factor 2).",
         letters={"correlated_noise": "zero-out", "adaptive_clipping": "replace", "accelerated": "zero-out", "dp_gd": "replace",
                  "kan": "replace (App. D), zero-out (App. F)"}),
)
