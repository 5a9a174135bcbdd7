"""Data in: each reader turns one kind of source into a table, and tables into counts."""
