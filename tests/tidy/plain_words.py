# SPDX-License-Identifier: Apache-2.0
"""Words that stand for a technical term, in comments, strings and documents of the product."""

import re

MOST = 400  # in the whole product: some are right where they are, as a radio that hears a frame

WORDS = {
    r"(?:is|are|was|were|comes?|lies|stands) behind": "after, following",
    r"behind (?:it|them|this|that|what|the (?:run|frame|list|answer|end))": "after, following",
    r"\bbeside\b": "next to, in addition to",
    r"\b(?:is|are|was) none\b": "is absent, does not exist, is invalid",
    r"\bsa(?:ys|id|ying)\b|\bunsaid\b|\bsayings?\b": "reports, sends, states, contains",
    r"\bt(?:old|ells|elling)\b": "notifies, passes, configures",
    r"\bword of\b|\b(?:its|his) word\b": "message, update, report",
    r"\bwhoever\b|\bwhom\b|\bhis\b|\bhim\b|\bnobody(?:'s)?\b|\bsomebody(?:'s)?\b": "the component: client, peer, robot",
    r"\bheard(?: of)?\b|\bhears\b": "received, detected",
    r"\bgo(?:es)? on\b|\bwent on\b|\bgoing on\b": "continues, resumes",
    r"\bstands? (?:still|there|above|below|in|at)\b": "is, is located; is stalled",
    r"\bmend(?:ed|s)\b": "fixed, fixes",
    r"\bas far as\b": "up to",
    r"\bat all\b": "nothing: drop it",
    r"\bwant(?:s|ed)?\b": "requires, requested",
    r"\bcrowds?\b|\bpatience\b|\bcourtesy\b|\bgiving way\b|\bmischief\b": "many clients; timeout; eviction; fault",
    r"(?<![-/])\bplaces?\b(?! holder|\.md|/)": "slot, position, location, offset",
}
PATTERNS = [(re.compile(word, re.IGNORECASE), better) for word, better in WORDS.items()]
PROSE = re.compile(r'//.*|#\s.*|/\*.*|^\s*\*.*|"(?:[^"\\]|\\.)*"')


def prose_of(path, line):
    """A document's line, or the comments and strings of a line of code."""
    return line if path.endswith((".md", ".html")) else " ".join(PROSE.findall(line))


def check_words(files):
    """One fault when `files`, pairs of path and lines, have more than MOST of the words; it names the worst files."""
    counts, words = {}, {}
    for path, lines in files:
        for line in lines:
            text = prose_of(path, line)
            for pattern, better in PATTERNS if text else ():
                if found := pattern.findall(text):
                    counts[path] = counts.get(path, 0) + len(found)
                    words.setdefault(path, (found[0], better))
    total = sum(counts.values())
    if total > MOST:
        for path, count in sorted(counts.items(), key=lambda item: -item[1])[:5]:
            word, better = words[path]
            yield (f"{path}:1: has {count} of {total} words that stand for a technical term, {MOST} are allowed in all "
                   f"files; for '{word}' write: {better}")
