"""What the viewer sees; each page runs under the router `app.py`.

Streamlit, finding a folder of this name, would serve its files without the router when a link into the workbench is the
first thing that a fresh server is asked for. The first import says not to, and starts that one run again.
"""

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

if PagesManager.uses_pages_directory:
    PagesManager.uses_pages_directory = False
    st.rerun()
