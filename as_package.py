"""Make the folder of this file the package `sari`, whatever the folder is called.

For scripts and tests in a checkout or in the Space; where the package is installed, Python finds it by itself.
"""

import sys


def make_importable() -> None:
    """Let `import sari.NAME` find the modules in this file's folder, unless a package of that name is there already.

    >>> make_importable()
    >>> from sari.variants import VARIANTS
    >>> "hf" in VARIANTS
    True
    """
    import importlib.util
    from pathlib import Path

    folder = Path(__file__).resolve().parent
    if not folder.is_dir():  # templates and other data could not be read
        print(f"sari: error: {folder}: not a folder, expected unpacked or installed files", file=sys.stderr)
        sys.exit(2)
    if getattr(sys.modules.get("sari"), "__file__", None) and hasattr(sys.modules["sari"], "__path__"):
        return
    spec = importlib.util.spec_from_file_location(
        "sari", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["sari"] = package
    spec.loader.exec_module(package)
