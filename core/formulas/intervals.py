"""Formulas behind the confidence intervals page and the figures of 2402.13531."""

from core.formulas.formula import Formula

FORMULAS = {
    "iterate_law": Formula(
        r"""\begin{aligned}
        \theta_t &= \hat\theta + (I-\eta\Sigma)^t(\theta_0-\hat\theta) + \eta\sum_{u\le t}(I-\eta\Sigma)^{t-u} z_u,
        \qquad z_u\sim N(0,\lambda_u^2 I),\quad \Sigma = X^\top X/n\\
        \operatorname{Cov}(\theta_s,\theta_t) &= \eta^2\sum_{u\le s}\lambda_u^2\,(I-\eta\Sigma)^{s+t-2u},\qquad s\le t
        \end{aligned}""",
        "Where nothing is clipped every step is linear, so the iterates are Gaussian around least squares. $\\lambda_u$ is the standard "
        "deviation of the noise on the mean gradient: with an even budget $\\lambda^2 = 2mT\\gamma^2/(\\rho n^2)$ over all $mT$ gradients.",
        "arXiv 2402.13531, Lemma 2.3 and equations (2), (3).",
    ),
    "student_interval": Formula(
        r"\bar\theta_j \pm t_{.975,\,m-1}\,\frac{\hat\sigma_j}{\sqrt m},\qquad \bar\theta=\tfrac1m\sum_\ell\theta^{(\ell)},\quad "
        r"\hat\sigma_j^2=\tfrac1{m-1}\sum_\ell(\theta^{(\ell)}_j-\bar\theta_j)^2",
        "As if the $m$ estimates were independent Gaussians. They are means of stretches of one run (batched means), the last iterates of "
        "those stretches (checkpoints), or means of runs of their own (independent runs), all after a burn-in.",
        "arXiv 2402.13531, Section 3.1 and equation (12).",
    ),
    "exact_coverage": Formula(
        r"""\Pr\big(v^\top A v\le 0\big)=\frac12-\frac1\pi\int_0^\infty\frac{\sin\beta(u)}{u\,\gamma(u)}\,du,\qquad
        A=\tfrac1{m}J-\tfrac{t^2}{m(m-1)}(I-J),\quad J=\tfrac1m 11^\top""",
        "$v$ are the errors of the $m$ estimates: Gaussian, with a mean and a covariance known exactly. The interval covers where a quadratic "
        "form in them is not positive, whose law is an integral over the eigenvalues of $A$ times the covariance: $\\beta$ sums "
        "their arctangents, $\\gamma$ multiplies the roots $(1+l^2u^2)^{1/4}$.",
        "arXiv 2402.13531, Lemma 2.3 with equation (12); the integral is Imhof's (1961, Biometrika 48).",
    ),
    "ols_interval": Formula(
        r"\hat\theta_j \pm t_{.975,\,n-p}\sqrt{\frac{\lVert y-X\hat\theta\rVert^2}{n-p}\,\big[(X^\top X)^{-1}\big]_{jj}}",
        "The classical interval is for the truth behind the records, and it is not private. The private one is for $\\hat\\theta$.",
        "Textbook; the comparison is that of arXiv 2402.13531, Figure 6.",
    ),
    "huber": Formula(
        r"""\sum_i \min\Big(1,\frac{C}{|r_i||x_i|}\Big)\, r_i x_i = 0,\qquad r_i=\langle x_i,\theta\rangle-y_i
        \quad\Longleftrightarrow\quad \theta\text{ minimises }\sum_i \ell_{B_i}(r_i),\; B_i = C/|x_i|""",
        "A clipped gradient is that of a Huber loss: square up to $B_i$, straight beyond. So clipped gradient descent settles around the Huber "
        "minimiser, and its Hessian there has only the records that are not clipped. That gives the curves of coverage with clipping.",
        "arXiv 2402.13531, section 2.5; Song et al. (2006.06783).",
    ),
    "no_clipping": Formula(
        r"""\gamma\ge 4c_0^2\sigma\sqrt p\quad\text{and}\quad \frac{\gamma}{\eta\lambda}\ge 64c_0^2\,p\sqrt{\ln(2nT/\beta)}
        \quad\Longrightarrow\quad \Pr(\text{nothing is clipped})\ge 1-\beta""",
        "$c_0$ is the largest of four numbers found in the records (lines ii to v of the condition). The law of the iterates says "
        "more: each residual is Gaussian, so the expected share of clipped gradients is a sum of Gaussian tails.",
        "arXiv 2402.13531, Condition 2.4 and Lemma 2.5.",
    ),
    "budget": Formula(
        r"\lambda_t^2=\frac{2\gamma^2}{\rho_t n^2},\quad \sum_t\rho_t=\rho,\qquad \operatorname{Var}(\theta_T)=\eta^2\sum_t\lambda_t^2 a^{2(T-t)}"
        r"\;\ge\;\frac{2\gamma^2}{\rho n^2}\Big(\eta\sum_t a^{T-t}\Big)^2,\quad a = 1-\eta",
        "By Cauchy-Schwarz the bound holds for every budget and every correlation, and $\\rho_t\\propto a^{T-t}$ attains it. One record "
        "replaced by another moves a clipped sum by at most $2\\gamma$.",
        "arXiv 2402.13531, Lemma 2.1 and Claim A.5; the schedule is ours.",
    ),
}
