"""`make bench`: run each bench_*.py of this folder, one process each, and let it print; nothing here can fail a build."""

import os
import subprocess
import sys
from pathlib import Path

one_thread = dict(os.environ, OMP_NUM_THREADS="1")
for script in sorted(Path(__file__).parent.glob("bench_*.py")):
    print(f"\n== {script.stem.removeprefix('bench_').replace('_', ' ')}", flush=True)
    subprocess.run([sys.executable, str(script)], env=one_thread, check=False)
