"""Results of the tight accountant are remembered in a folder of the test's own, and forgotten."""

import pytest

from core.amplification import cache


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "FOLDER", tmp_path / "amplification")
