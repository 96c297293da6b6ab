# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx extension: formulas as MathML, made by docutils while the site is built.

Browsers draw it (Firefox, Safari, Chromium from 109 on) without a script, and a page asks no other server for one. A
formula that docutils cannot read is a warning.
"""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)


def to_mathml(node, inline):
    try:
        return tex2mathml(node.astext(), inline)
    except SyntaxError as error:
        logger.warning("this formula cannot be read: %s", error, location=node)
        raise nodes.SkipNode


def visit_inline(translator, node):
    translator.body.append(to_mathml(node, inline=True))
    raise nodes.SkipNode


def visit_block(translator, node):
    translator.body.append(f'<div class="math">{to_mathml(node, inline=False)}</div>\n')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
