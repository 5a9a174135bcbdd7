"""What a build checks: read from `baserate.toml`, judged, and told."""
