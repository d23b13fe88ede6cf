"""What a viewer takes along from every page: a link to exactly this view, and a notebook that makes it again."""

from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

import streamlit as st
import streamlit.components.v2 as v2

from core import views

_COPY = v2.component(
    "copy_link",
    html='<button type="button">Copy link</button><span role="status"></span>',
    css="""
      button { font: inherit; font-size: .875rem; color: var(--st-text-color); background: transparent; border: 1px solid var(--st-border-color);
               border-radius: var(--st-button-radius, .5rem); padding: .4rem .75rem; cursor: pointer; }
      button:hover, button:focus-visible { border-color: var(--st-primary-color); color: var(--st-primary-color); }
      span { margin-left: .5rem; color: var(--st-text-color); }
    """,
    js="""
      export default function ({ data, parentElement }) {
        const button = parentElement.querySelector("button"), said = parentElement.querySelector("span");
        button.onclick = async () => {
          const link = new URL(window.location.href);
          for (const [name, value] of Object.entries(data)) {
            value === null ? link.searchParams.delete(name) : link.searchParams.set(name, value);
          }
          await navigator.clipboard.writeText(link.href);
          said.textContent = "Copied";
          setTimeout(() => { said.textContent = ""; }, 2000);
        };
      }
    """,
)


def link(setting: Any) -> None:
    """A button that copies the address of this very view: every control that is not at its default."""
    changed = setting.changes()
    _COPY(key="copy-link", width="content", data={field: changed.get(field) for field in asdict(setting)})


def bar(page: str, setting: Any, **choices: bool | str | float) -> None:
    """Copy link and Notebook, side by side; `choices` are those that the page offers beyond the setting."""
    address = permalink(setting)  # the notebook is made when it is asked for, where no session says what the address is
    with st.container(key="share", horizontal=True, vertical_alignment="center"):
        link(setting)
        st.download_button(
            "Notebook",
            lambda: views.notebook_of(page, setting, address, **choices),
            f"{page}.ipynb",
            "application/x-ipynb+json",
            key="notebook",
            on_click="ignore",
            help="This view as a notebook: its settings, the code that needs `core` alone, and a check of the headline.",
        )


def permalink(setting: Any) -> str:
    """The address of this page with every control that is not at its default."""
    query = urlencode(setting.changes())
    here = (st.context.url or views.ADDRESS).split("?")[0]  # a page run by a test has no address
    return here + (f"?{query}" if query else "")
