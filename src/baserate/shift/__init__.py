"""Another base rate in the field: estimate it, check what that assumes, correct the scores."""
