"""Router of the workbench: page config, the controls of the page's group, navigation; nothing else."""

import importlib

import streamlit as st

from pages import _controls, _groups, _theme

OWN_CONTROLS = {"intervals": "_intervals_controls", "kan": "_kan_controls", "adaptive": "_adaptive_controls", "accelerate": "_accelerate_controls", "mechanisms": "_mechanisms_controls"}
"""Pages that do not share the controls of the workbench, and the module of theirs."""

st.set_page_config("Private learning workbench", "assets/favicon.png", layout="wide")
_theme.apply()

page = st.navigation(
    [
        st.Page("pages/playground.py", title="Playground", default=True),
        st.Page("pages/why.py", title="Why it works"),
        st.Page("pages/mechanisms.py", title="Compare noise"),
        st.Page("pages/train.py", title="Train live"),
        st.Page("pages/kan.py", title="KAN"),
        st.Page("pages/adaptive.py", title="Adaptive clipping"),
        st.Page("pages/accelerate.py", title="Acceleration"),
        st.Page("pages/intervals.py", title="Confidence intervals"),
        st.Page("pages/papers.py", title="Papers"),
        st.Page("pages/guide.py", title="Guide"),
    ],
    position="top",
)
own = OWN_CONTROLS.get(page.url_path)  # imported here, because some bring torch
group = importlib.import_module(f"pages.{own}").GROUP if own else _controls.GROUP
_groups.show(group, drawn=page.url_path not in ("papers", "guide"))
page.run()
