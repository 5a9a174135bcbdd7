from baserate.plots.axes import (
    Axis as Axis,
    linear_axis as linear_axis,
    spanning_axis as spanning_axis,
)
from baserate.plots.figures import (
    cost_panel as cost_panel,
    curve_panel as curve_panel,
    decision_panel as decision_panel,
    difference_panel as difference_panel,
    histogram_panel as histogram_panel,
    outcome_tree_panel as outcome_tree_panel,
    roc_panel as roc_panel,
    winner_map_panel as winner_map_panel,
)
from baserate.plots.panels import (
    Area as Area,
    Figure as Figure,
    Line as Line,
    Marks as Marks,
    Panel as Panel,
    Style as Style,
    Words as Words,
    series_style as series_style,
)
