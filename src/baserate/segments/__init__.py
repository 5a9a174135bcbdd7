"""Groups and days: the same threshold, slice by slice."""
