"""Figures of "Population Risk Bounds for KANs Trained by DP-SGD with Correlated Noise" (arXiv 2605.12648), on our data.

The paper has one figure, taken over from another paper (a convolutional network on CIFAR-10), and theorems. Here its
claims are put to the network that the theorems are about.
"""

from core.papers.kan.accountants import kappa_accountants, kappa_few
from core.papers.kan.correlation import figure1, figure1_noise, figure1_table
from core.papers.kan.scaling import risk_n, risk_width
from core.papers.kan.tuned import figure1_tuned

__all__ = [
    "figure1",
    "figure1_noise",
    "figure1_table",
    "figure1_tuned",
    "kappa_accountants",
    "kappa_few",
    "risk_n",
    "risk_width",
]
