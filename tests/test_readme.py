"""What README.md promises: its code runs as printed, its picture and its paths are there, its packages are all of them."""

import re
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_the_six_lines_run_and_private_learning_learns():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict = {}
    exec(code, names)
    risk = names["risk"]
    assert risk.shape == (1001,) and risk[0] == 0 and np.all(np.diff(risk) > 0), "started at the optimum, only noise moves it"
    assert names["privacy"].gdp_epsilon(
        names["privacy"].gdp_mu(names["noise"], 1000, names["noise_multiplier"]), delta=1e-6
    ) <= 2.0


def test_every_path_named_is_there():
    for path in re.findall(r"`((?:app|pages|core|tests|assets)[\w./]*)`|\]\(([\w./]+)\)", README):
        assert (ROOT / (path[0] or path[1])).exists(), path


def test_every_required_package_is_explained_and_pinned():
    for file in ("requirements.txt", "requirements-test.txt"):
        for line in (ROOT / file).read_text().split():
            package, version = line.split("==")
            assert f"`{package}`" in README and version
