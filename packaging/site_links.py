# SPDX-License-Identifier: Apache-2.0
"""Hooks of mkdocs (mkdocs.yml): the site has the pages and pictures of docs/. Links to other files of the source tree
become the files' names, because the site has no such page."""

import posixpath
import re

LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+[^)\s]*)\)")


def on_files(files, config):  # pylint: disable=unused-argument
    """Leaves out what documents are made from: programs and data."""
    for file in list(files):
        if file.src_uri.endswith((".py", ".json")):
            files.remove(file)
    return files


def on_page_markdown(markdown, page, config, files):  # pylint: disable=unused-argument
    """Replaces links that lead out of docs/ by text and the name of the file from the root of the source tree."""
    def replaced(link):
        text, target = link.groups()
        name = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page.file.src_uri), target.split("#")[0]))
        if name.startswith("docs/"):
            return link.group(0)
        return f"`{name}`" if text in target or name.endswith(text) else f"{text} (`{name}`)"
    return LINK.sub(replaced, markdown)
