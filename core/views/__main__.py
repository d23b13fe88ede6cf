"""Writes the notebooks that ship: `python -m core.views`."""

from pathlib import Path

from core import notebook, views

notebook.write_all(Path("assets/notebooks"), views.all_notebooks())
