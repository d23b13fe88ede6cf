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
    "binary_tree": "binary tree",
    "honaker": "tree, Honaker's completion",
    "full_honaker": "tree, fully completed (full Honaker)",
    "fft": "FFT mechanism (circulant)",
    "banded_root": "banded square root",
    "banded_inverse_root": "banded inverse square root",
    "best_toeplitz": "best Toeplitz noise for so many steps",
    "optimal_dense": "best matrix for so many steps (dense optimum)",
    "stamped": "restarted (stamped) noise",
    "none": "no noise (not private)",
}
