"""What the pages beyond the workbench run and show: one package a page, each pure functions from a setting or a run."""
