"""When the base rate of the field is not that of the sample: correct the scores, estimate the base rate, check what that assumes."""
