"""The results that a viewer keeps while trying settings: a table of what was changed and what came out, and the way back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.names import name
from pages._groups import spell


@dataclass(frozen=True)
class Kept:
    """A setting, and the headline that it gave, in words."""

    setting: Any
    found: Mapping[str, str]


def table(page: str, setting: Any, found: Mapping[str, str], load: Callable[[Any], None]) -> None:
    """What was kept on this page in this session; `found` is the headline now, empty while there is none yet.

    `load` puts a setting back into the controls.
    """
    kept: list[Kept] = st.session_state.setdefault("kept", {}).setdefault(page, [])
    with st.container(key="tried"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Keep this result", key="keep", on_click=kept.append, args=(Kept(setting, found),), disabled=not found,
                help="Adds these settings and their headline to a table, to be compared with the next ones.",
            )
            if kept:
                st.button("Forget them", key="forget", on_click=kept.clear, type="tertiary")
        if kept:
            st.markdown("#### Tried so far")
            st.dataframe(rows(kept), hide_index=True)
            with st.container(horizontal=True, gap="small"):
                for number, one in enumerate(kept, 1):
                    st.button(f"Back to {number}", key=f"back-{number}", on_click=load, args=(one.setting,), type="tertiary")


def rows(kept: list[Kept]) -> list[dict[str, str]]:
    """One row a result: its number, every control that any of them changed, and its headline."""
    changed = dict.fromkeys(field for one in kept for field in one.setting.changes())
    return [
        {"result": str(number)} | {name(field).words: spell(getattr(one.setting, field)) for field in changed} | dict(one.found)
        for number, one in enumerate(kept, 1)
    ]
