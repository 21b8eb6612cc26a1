"""`unburden proxy` in front of servers that we did not write, one a file.

Each server is asked twice: as it is, and through the proxy. What is small must be the same; what is
large must be a descriptor, with the data in a file.
"""
