"""The verbs: thin functions that look at what they are given and call what answers it."""
