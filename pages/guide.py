"""Guide: the story in one screen, the glossary, assumptions, papers and their errata."""

import streamlit as st

from core import guide
from core.names import PAPERS
from pages import _controls, _share

st.markdown(guide.STORY)
st.markdown("### What is assumed")
st.markdown(guide.ASSUMPTIONS)
with st.container(key="glossary"):
    st.markdown("### Words")
    st.markdown(guide.table(["word", "symbol", "meaning", "unit"], guide.words()))
    st.markdown("### Letters\nOne name a concept here; the papers use many letters for it. A dash: the paper does not use it.")
    st.markdown(guide.table(["here", *(f"{paper.short} ({paper.arxiv})" for paper in PAPERS.values())], guide.letters()))
st.markdown("### Papers")
st.markdown("\n".join(f"- **{paper.short}**: {paper.title}, arXiv {paper.arxiv}" for paper in PAPERS.values()))
st.markdown("### Where a paper is not right as printed")
st.markdown(guide.ERRATA)
_share.bar("guide", _controls.current())
