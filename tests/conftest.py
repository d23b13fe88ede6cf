"""Settings for every test: one BLAS thread a process, so that two test processes do not fight over two cores."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy or torch is imported; servers and notebooks inherit it

from hypothesis import settings  # noqa: E402

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
