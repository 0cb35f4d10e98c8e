#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Executes a Jupyter notebook in its folder, cell after cell, and prints what it prints; exit status 1 with the error
of the first cell that fails. Its file stays as it is.

usage: run_notebook.py NOTEBOOK
"""
import pathlib
import sys

import nbclient
import nbformat


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip().splitlines()[-1], file=sys.stderr)
        return 2
    path = pathlib.Path(sys.argv[1])
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    try:
        nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()
    except nbclient.exceptions.CellExecutionError as error:
        print(error, file=sys.stderr)
        return 1
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            print(output.get("text") or f"({', '.join(output.get('data', {}))})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
