"""The report: one HTML file that opens offline, with every number of the JSON document in it."""
