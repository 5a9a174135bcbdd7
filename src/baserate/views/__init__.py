"""Results as JSON for a program and as text for a person."""
