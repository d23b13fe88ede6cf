# `make run` opens the workbench, `make test` runs every test. Each target first sets up what it needs in .venv;
# another Python than python3: make run PYTHON=/path/to/python3.12.
PYTHON ?= python3
export PYTHON
python := .venv/bin/python
pytest := $(python) -m pytest --quiet

help:
	@echo "make run         open the workbench at 127.0.0.1"
	@echo "make test        every test, in a real browser too"
	@echo "make check       the fast tests, under a minute"
	@echo "make bench       what costs how much, as ratios"
	@echo "make notebook    the notebooks, in JupyterLab"
	@echo "make screenshot  renew the picture in README.md"

run:
	@.ci/setup requirements.txt
	@$(python) -m streamlit run app.py

test:
	@.ci/setup requirements.txt requirements-test.txt
	@$(python) tests/browser/chromium.py
	@echo "Tests without a browser, two at a time"; $(pytest) -n 2 --ignore tests/browser; units=$$?; \
	 echo "Tests in a browser, one at a time"; $(pytest) tests/browser; browser=$$?; \
	 test $$units -eq 0 -a $$browser -eq 0

check:
	@.ci/setup requirements.txt requirements-test.txt
	@$(pytest) -n 2 -m "not slow" --ignore tests/browser

bench:
	@.ci/setup requirements.txt requirements-test.txt
	@PYTHONPATH=.:tests/browser $(python) tests/benchmarks

notebook:
	@.ci/setup requirements.txt requirements-notebook.txt
	@PYTHONPATH=$(CURDIR) $(python) -m jupyter lab --notebook-dir assets/notebooks --LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate --LabApp.news_url=None

screenshot:
	@.ci/setup requirements.txt requirements-test.txt
	@$(python) tests/browser/chromium.py
	@UPDATE_SCREENSHOT=1 $(pytest) tests/browser/test_screenshot.py

.PHONY: help run test check bench notebook screenshot
