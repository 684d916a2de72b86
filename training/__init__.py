"""How the judge is made: tables of the world, their evidence, and networks trained on it.

Not a part of the package: it needs torch (``pip install "spinney[torch]"``).
"""
