"""The measures: each a function of a confusion and of conditions, defined once in one registry."""
