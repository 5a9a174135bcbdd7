"""Curves: two measures read along the thresholds, or one measure read along the conditions; areas
and summaries.
"""
