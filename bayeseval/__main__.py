"""``python -m bayeseval``: the command line."""

from bayeseval.cli import main

if __name__ == "__main__":
    main()
