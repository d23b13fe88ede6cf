"""Papers: every figure and table of the papers, computed while you watch, with a verdict on what was printed."""

import streamlit as st

from core import papers
from core.names import PAPERS
from core.papers.registry import FIDELITIES
from pages import _controls, _figures_of_papers, _share

listed = {f"{entry.paper}/{entry.name}": entry for entry in papers.entries()}

st.markdown("### The papers' figures, computed here")
with st.container(key="paper-choices", horizontal=True, vertical_alignment="bottom"):
    chosen = st.selectbox(
        "Figure or table", listed, key="figure", bind="query-params",
        format_func=lambda key: _figures_of_papers.title(listed[key]),
    )
    fidelity = st.segmented_control("Fidelity", FIDELITIES, default=FIDELITIES[0], required=True, key="fidelity", bind="query-params")
entry = listed[chosen]
st.markdown(f"**{entry.shows}**")
_figures_of_papers.live(entry, fidelity, _controls.current().seed)
st.markdown(
    f"**The paper**: {PAPERS[entry.paper].title}, arXiv {PAPERS[entry.paper].arxiv}, {entry.number}.\n\n"
    f"**It leaves open**: {entry.left_open}\n\n**Chosen here**: {entry.chosen}\n\n"
    f"**Quick**: {entry.quick} **Full**: {entry.full}"
)
st.code(f"python -m core.papers {entry.paper} {entry.name} --fidelity {fidelity}", language="bash")
_share.link(_controls.current())
