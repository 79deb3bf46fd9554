"""`opcheck` in hosts, as generated tests and as a pytest plugin."""
