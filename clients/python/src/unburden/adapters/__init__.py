"""Ready-made hooks for agent frameworks, one module each.

Only these modules import frameworks, so only the frameworks that are used need to be installed.
`chat`, `retrieval` and `arguments` have what several of them share.
"""
