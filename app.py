"""Router of the workbench: page config, the shared controls, navigation; nothing else."""

import streamlit as st

from pages import _controls, _theme

st.set_page_config("Private learning workbench", "assets/favicon.png", layout="wide")
_theme.apply()

page = st.navigation(
    [
        st.Page("pages/playground.py", title="Playground", default=True),
        st.Page("pages/why.py", title="Why it works"),
        st.Page("pages/train.py", title="Train live"),
        st.Page("pages/papers.py", title="Papers"),
        st.Page("pages/guide.py", title="Guide"),
    ],
    position="top",
)
_controls.from_link()
if page.url_path not in ("papers", "guide"):
    _controls.draw()
page.run()
