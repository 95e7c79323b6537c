"""The views of the page, a module for each tab: its components, what they show, and what happens on a click.

Imports the rest of `sari.web`, which knows nothing of components.
"""
