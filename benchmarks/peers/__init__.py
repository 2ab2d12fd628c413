"""Speed, memory and coverage beside other packages and other models: `make bench-peers`.

The other packages live in an environment of their own, which `make bench-peers` makes from
`requirements.txt`. Nothing outside of `methods.py` and `samplers.py` needs them.
"""
