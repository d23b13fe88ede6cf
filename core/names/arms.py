"""What is compared: the key of an arm (its colour and dash everywhere) -> its words."""

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
