"""With this folder on its path, a process is as on a machine that does not have transformers.

Where it is installed, `evaluate` imports it, and with it torch, which takes three times as long as all else there is.
"""

raise ImportError("transformers is hidden")
