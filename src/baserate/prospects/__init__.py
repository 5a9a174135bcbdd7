"""Prospects: what to do, and what it may cost, where base rate and costs are not known exactly."""
