"""Router of the workbench: page config, the controls of the page's group, navigation; nothing else."""

import streamlit as st

from pages import _controls, _groups, _theme

st.set_page_config("Private learning workbench", "assets/favicon.png", layout="wide")
_theme.apply()

page = st.navigation(
    [
        st.Page("pages/playground.py", title="Playground", default=True),
        st.Page("pages/why.py", title="Why it works"),
        st.Page("pages/train.py", title="Train live"),
        st.Page("pages/kan.py", title="KAN"),
        st.Page("pages/papers.py", title="Papers"),
        st.Page("pages/guide.py", title="Guide"),
    ],
    position="top",
)
group = _controls.WORKBENCH
if page.url_path == "kan":
    from pages._kan_controls import KAN as group  # here, because it brings torch

_groups.show(group, drawn=page.url_path not in ("papers", "guide"))
page.run()
