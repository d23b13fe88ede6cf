"""Why it works: the same noises in time, in frequency, in each direction of the problem, and what they cost."""

import streamlit as st

from core import comparison, papers
from pages import _controls, _figure, _share

setting = _controls.current()
st.markdown(
    "### Why correlated noise works\n"
    "Privacy needs noise in every step. But a model only feels what is left after the steps have been **added up** and "
    "gradient descent has **listened** to them. So: draw noise now, take it back later, and pay for the record that "
    "becomes visible when its cover is taken away. The pictures below follow that order, for the setting on the left."
)
PICTURES = (
    (comparison.taken_back, "taken-back", "coefficients"),
    (comparison.running_sum, "running-sum", "prefix"),
    (comparison.stays_visible, "visible", "coefficients"),
    (comparison.sensitivity_growth, "sensitivity", "sensitivity"),
    (comparison.noise_spectrum, "spectrum", "spectrum"),
    (comparison.transfer_functions, "transfer", "transfer"),
    (comparison.felt_spectrum, "felt", "spectrum"),
)
for first in range(0, len(PICTURES), 2):
    for column, (picture, key, formula) in zip(st.columns(2), PICTURES[first : first + 2], strict=False):
        with column:
            _figure.show(picture(setting), key, picture, formula, height=340)

st.markdown("### The smallest case: estimating one mean")
figure1 = papers.correlated_noise.figure1
_figure.show(figure1(), "mean", figure1.compute, "mean", height=380)
_share.bar("why", setting)
