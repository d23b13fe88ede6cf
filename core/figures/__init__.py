"""Result -> chart. Pure: the same result gives the same chart; nothing here computes, draws on a page or fetches.

`spec` is plain data for a live page, `chart` a Plotly figure for a notebook, `to_html` a standalone file, `drag_chart`
an Altair chart whose slider moves the curves without Python.
"""

from core.figures.altair_charts import drag_chart
from core.figures.palette import STROKES, Stroke, strokes
from core.figures.plotly_charts import CONFIG, chart, spec, to_html, y_range

__all__ = ["CONFIG", "STROKES", "Stroke", "chart", "drag_chart", "spec", "strokes", "to_html", "y_range"]
