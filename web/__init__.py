"""The app: a page with a view for each question, files to keep, and endpoints for programs.

`inputs` checks what visitors send, `answers` scores it, `rendering` and `templates/` show it as HTML, `components` and
the modules called `..._tab` are the views, `endpoints` is for programs, `server` guards all, and `page` starts it. No
module keeps anything from one call to the next, so that no visitor sees the texts of another.
"""

import os

# Before any module here imports Gradio.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
