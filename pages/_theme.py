"""The little CSS that Streamlit's theme options lack."""

import streamlit as st

_CSS = """
<style>
  .stMainBlockContainer { padding-top: 3.5rem; padding-bottom: 4rem; }
  /* The two knobs of the noise stay in sight while the page scrolls under them. */
  div:has(> .st-key-knobs) { position: sticky; top: 3.25rem; z-index: 90; }
  .st-key-knobs { background: light-dark(#FFFFFF, #0E1117); padding: .5rem 0; border-bottom: 1px solid #8884; }
  .st-key-knobs > div { flex: 1 1 9rem; min-width: 0; }
  /* Ten pages side by side on a laptop's screen. */
  [data-testid="stTopNavLink"] { padding: 0 .35rem; }
  [data-testid="stTopNavLink"] :is(span, p) { font-size: .82rem; }
  .st-key-headline { line-height: 1.3; }
  .headline { display: flex; flex-wrap: wrap; gap: .25rem 2.5rem; }
  .headline > div { display: flex; align-items: center; gap: .7rem; }
  .headline b { font-size: 2.6rem; letter-spacing: -.02em; min-width: 3.4ch; flex: none; }
  .headline small { font-size: .95rem; }
  .stMarkdown table { display: block; overflow-x: auto; max-width: 100%; }
  /* Contrast of 4.5 to 1 where Streamlit's own colours fall short of it. */
  [data-testid="stCaptionContainer"] { opacity: .85 !important; }
  [data-testid="stBaseButton-primary"] { color: Canvas; }
  [data-testid="stCode"] .token { color: inherit !important; }
  [data-testid="stCode"] .token.keyword { font-weight: 600; }
  @media (max-width: 640px) {
    .stMainBlockContainer { padding-left: 1rem; padding-right: 1rem; }
    .headline b { font-size: 1.7rem; }
    .headline small { font-size: .85rem; }
  }
</style>
"""


def apply() -> None:
    """Add the style sheet to the page."""
    st.html(_CSS)
