"""Train live: the same comparison simulated, painted while it runs, with exact theory behind it."""

import streamlit as st

from core import simulation
from pages import _bench, _controls, _figure, _run, _run_view, _share

setting = _controls.current()
bench = _bench.bench("train")
st.markdown(
    "### Train live\nThe noises of the Playground in a real run: every arm sees the same examples and the same seed noise, "
    "so the lines differ by the correlation alone."
)
with st.container(key="run-choices", horizontal=True, vertical_alignment="bottom"):
    source = st.selectbox("Data", _run.SOURCES, key="source", bind="query-params", width=220)
    clipping = st.toggle(
        "Clip gradients", True, key="clipping", bind="query-params",
        help="Off: what the exact theory describes. Then one record can move a step without bound: not private.",
    )
content, target = _run.own_table() if source == _run.CSV else (b"", "")
wanted = _run.Wanted(setting, source, clipping, content, target)

with st.container(key="run-buttons", horizontal=True):
    _bench.buttons(bench, lambda paused: _run.start(wanted, paused))
_bench.live(bench, lambda run: _run_view.paint(run, wanted))
if bench.run is not None and bench.run.plan is not None:
    _figure.table(simulation.ledger(bench.run.plan), "ledger", simulation.ledger, "sensitivity")
_share.bar("train", setting, data=source, target=target, clipping=clipping)
