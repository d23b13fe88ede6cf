"""Formulas behind the adaptive clipping page and the figures of 2207.04686."""

from core.formulas.formula import Formula

FORMULAS = {
    "adaptive": Formula(
        r"""\begin{aligned}
        \gamma_t &= \text{private threshold of } |\langle x_i, w_t\rangle - y_i|, \qquad \zeta_t = s\,\gamma_t\\
        w_{t+1} &= w_t - \frac{\eta}{b}\Big(\sum_i \mathrm{clip}_{\zeta_t}(g_i) + \zeta_t\,\sigma\,\xi_t\Big),
        \qquad \bar w = \frac{2}{T}\sum_{t>T/2} w_t
        \end{aligned}""",
        "$g_i$ is the gradient of record $i$, $\\sigma$ the noise multiplier, the paper's $2\\alpha$. As printed "
        "$s = R_x\\log^a N$; with exact accounting $s = 2.5\\sqrt d$. $\\xi_t$ is independent, or takes back the share $\\lambda$ of "
        "the step before: divided by $\\zeta_t$, which is public by then, no clipped gradient is longer than 1, so the noise is "
        "charged exactly as without adaptive clipping.",
        "arXiv 2207.04686, Algorithms 1 and 2; correlated noise is ours.",
    ),
    "private_threshold": Formula(
        r"""\begin{aligned}
        \text{printed:}\quad & K+1 \text{ counts of noise } \sqrt K\,\alpha, \text{ doubling } \gamma \text{ from } B/2^K
        &\Rightarrow\quad \rho &= \tfrac{K+1}{2K\alpha^2}\\
        \text{exact:}\quad & 5 \text{ counts of noise } \sqrt{5/(2\rho)}, \text{ bisecting 32 thresholds for the median}
        &\Rightarrow\quad \rho &= \rho
        \end{aligned}""",
        "A count is how many of a few records have a residual of at most $\\gamma$. Replacing one record moves a count by at most 1.",
        "arXiv 2207.04686, Algorithm 3 and Lemma 3.10, which states $1/(2\\alpha^2)$; the repair is ours.",
    ),
    "ledger": Formula(
        r"\rho_{\text{record}} = \sum_{\text{entries that the record is in}} \rho_{\text{entry}},\qquad \rho = \max_{\text{records}}\rho_{\text{record}},"
        r"\qquad \mu=\sqrt{2\rho}",
        "Entries on disjoint records compose in parallel, entries on one record add up. All releases are Gaussian, so the whole is "
        "as revealing as telling $N(0,1)$ from $N(\\mu,1)$, exactly. Adjacency: one record is replaced.",
        "arXiv 2207.04686, Theorem 3.6, which adds what could be maximised.",
    ),
    "sample_size": Formula(
        r"F(\bar w) - F(\theta_\star) \;\le\; \frac{\lVert\theta_\star\rVert^2}{N^{100}} + \frac{8\sigma_y^2 d}{N}"
        r" + \tilde O\Big(\frac{\sigma_y^2\,\kappa^2 d^2\log(1/\delta)}{\varepsilon^2N^2}\Big)"
        r"\qquad\text{for}\quad N \ge \tilde\Omega\big(\kappa^2 d\,(1+\sqrt{\log(1/\delta)}/\varepsilon)\big)",
        "Proportional to $d$, which no fixed clip norm reaches, but with a constant in the hundreds, and in the bound itself of "
        "hundreds of millions.",
        "arXiv 2207.04686, Theorem 3.7 and Lemma 3.11.",
    ),
}
