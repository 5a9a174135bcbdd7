"""`report.html`: one file that opens offline, with every number of the document in it."""
