"""Decisions: a rule and conditions give an operating point."""
