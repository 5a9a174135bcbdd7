"""The central values: exact counts of scores by class, of one model, of several, by group, by
amount, without labels.
"""
