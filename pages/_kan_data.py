"""Whose records the KAN page trains on: those of the chosen data set, or the viewer's own CSV file."""

from dataclasses import dataclass

import streamlit as st

from core.experiments.kan import KanSetting
from core.problems import datasets, tables
from core.problems.datasets import TwoClasses
from core.views import kan as view


@dataclass(frozen=True)
class Wanted:
    """What the controls ask for now: a setting, and the viewer's table where there is one."""

    setting: KanSetting
    content: bytes = b""
    target: str = ""
    trouble: str = ""

    def own(self) -> TwoClasses | None:
        """The viewer's records, None where the setting's data set is meant."""
        return _read(self.content, self.target, self.setting.seed) if self.content and not self.trouble else None

    def choices(self) -> dict[str, float | str]:
        """What a notebook must know beyond the setting."""
        own = self.own()
        if own is None:
            return {}
        fits = self.setting.batch_size <= len(own.labels)  # else the notebook says so, as the page does
        return {"target": self.target} | (view.spectral_charges(self.setting, own) if fits else {})


def choose(setting: KanSetting) -> Wanted:
    """The uploader; what is not a table of two classes is told in one sentence, and trains nothing."""
    with st.expander("Your own data: a CSV file"):
        upload = st.file_uploader("A header row, numbers below it, and one column of two different values to tell apart", "csv", key="csv")
        if upload is None:
            return Wanted(setting)
        content, target = upload.getvalue(), ""
        try:
            columns = tables.column_names(content)
            target = st.selectbox("Column to predict", columns, index=len(columns) - 1, key="target")
            own = _read(content, target, setting.seed)
        except ValueError as error:
            st.warning(f"{error}.")
            return Wanted(setting, content, target, f"{error}.")
        st.caption(
            f"{len(own.labels):,} records to train on and {len(own.test_labels):,} held out, {own.features.shape[1]} inputs; "
            f"{own.classes[0]} against {own.classes[1]}. {own.preparation} They take the place of the data set on the left."
        )
        return Wanted(setting, content, target)


@st.cache_resource(scope="session", max_entries=2, show_spinner=False)
def _read(content: bytes, target: str, seed: int) -> TwoClasses:
    return datasets.from_csv(content, target, seed)
