"""Ready-made hooks for agent frameworks, one module each.

A module imports its framework, and nothing else of this package imports a module: only the
frameworks that are used need to be installed.
"""
