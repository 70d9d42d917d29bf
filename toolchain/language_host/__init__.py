"""A Pulumi language host for Python: runs programs, policy packs and plugins for the engine."""
