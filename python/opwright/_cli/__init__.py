"""The subcommands of `python -m opwright`."""
