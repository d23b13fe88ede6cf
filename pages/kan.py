"""KAN: a Kolmogorov-Arnold network trained in private with several lambda at once, and what privacy charges for each."""

import streamlit as st

from core.experiments import kan
from pages import _bench, _figure, _kan_controls, _kan_data, _kan_privacy, _kan_theory, _kan_view, _share, _tried

setting = _kan_controls.current()
bench = _bench.bench("kan")
st.markdown(
    "### A network of curves, trained in private\n"
    "A Kolmogorov-Arnold network learns a curve on every edge. Each step gets noise, and **lambda** is the share of the last "
    "step's noise that is taken back. All lines are equally private. Is there a best lambda, and how wide should the network be?"
)
with st.container(key="presets", horizontal=True):
    for key, preset in kan.presets().items():
        st.button(preset.label, key=f"preset-{key}", on_click=_kan_controls.load, args=(preset.setting,))
st.caption(next((f"{preset.label}. {preset.says}" for preset in kan.presets().values() if preset.setting == setting), "Your own setting."))
wanted = _kan_data.choose(setting)
with st.container(key="run-buttons", horizontal=True):
    _bench.buttons(bench, lambda paused: _kan_view.start(wanted, paused))
_bench.live(bench, lambda run: _kan_view.paint(run, wanted), seconds=0.4)
_bench.live(bench, _kan_view.paint_details, seconds=1.5)
if bench.run is not None and bench.run.plan is not None:
    _figure.table(kan.ledger(bench.run.plan), "ledger", kan.ledger, "subsampled")
_kan_privacy.live(wanted)
_kan_theory.live(wanted)
tried = bench.run.plan.setting if bench.run is not None and bench.run.plan is not None else setting
_tried.table("kan", tried, _kan_view.kept(bench.run), _kan_controls.load)
_share.bar("kan", setting, **wanted.choices())
