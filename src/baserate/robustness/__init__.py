"""Decisions where base rate and costs are not known exactly: regret, expectation, winner maps,
sensitivity.
"""
