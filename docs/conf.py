"""How the documentation site is built: `make docs`, offline, warnings are errors."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "src")]

from spinney import __version__  # noqa: E402 # found by the line above

project = "spinney"
author = "The spinney developers"
copyright = f"The spinney developers, version {__version__}"
version = release = __version__
language = "en"
smartquotes = False  # it would make a dash of the hyphens of --force

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    # Our own, in _ext/:
    "api_pages",
    "contents",
    "gallery_pages",
    "mathml",
]

root_doc = "index"
exclude_patterns = ["_ext", "_templates", "figures/reproduction/*.md"]
templates_path = ["_templates"]
nitpicky = True
# References that are listed without being cited by number are meant so.
suppress_warnings = ["ref.citation"]
nitpick_ignore_regex = [
    # Functions and classes of private modules, which have no page.
    (
        "py:.*",
        r"(explained_pairs|unknown_pairs|Determinants|.*side_by_side|Copula\.\w+)",
    ),
    # Private modules are named in the source for those who read it; they have no page.
    ("py:.*", r"(.*\.)?_[a-z]\w*(\..*)?"),
    # Other packages have no pages here, and the site is built without the network.
    ("py:.*", r"(numpy|np|pandas|pd|scipy|sklearn|networkx|matplotlib|joblib|torch|plotly)\b.*"),
]

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True

autodoc_typehints = "none"  # the types stand in words in every docstring
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autosummary_generate = True
autosummary_ignore_module_all = False
numpydoc_show_class_members = False  # the template of classes lists them
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["spinney.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/favicon.svg"
html_title = "spinney"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "spinney", "alt_text": "spinney: front page"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "back_to_top_button": False,
}
html_context = {"default_mode": "auto"}  # light or dark as the reader's system is
html_sidebars = {"index": []}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
