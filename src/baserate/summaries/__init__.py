"""One number for a whole set of counts. Each says which estimator it is, and what its extremes mean."""
