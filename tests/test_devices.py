"""Devices by name, and the one place where torch's threads are set."""

import subprocess
import sys

import pytest
import torch

from core import devices


def test_names_resolve():
    assert devices.resolve("cpu") == torch.device("cpu") and devices.describe("cpu") == "CPU"
    expected = "cuda" if torch.cuda.is_available() else "cpu"
    assert devices.resolve("auto").type == expected


@pytest.mark.parametrize("device", ["gpu", "", "cuda:1"])
def test_other_names_are_refused(device):
    with pytest.raises(ValueError, match="device="):
        devices.resolve(device)


def test_one_thread_is_set_when_asked():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        devices.use_one_thread()
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


def test_rooms_that_a_first_page_needs_do_not_import_torch():
    rooms = "core.devices, core.jobs, core.learners.batches, core.learners.summary, core.problems.spectrum"
    code = f"import sys, {rooms}\nassert 'torch' not in sys.modules\n"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr == ""
