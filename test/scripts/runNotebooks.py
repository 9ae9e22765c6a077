"""Runs the notebooks of sql/notebooks once for real: python test/scripts/runNotebooks.py <analytics.duckdb> [name ...]

Needs duckdb, pandas, nbclient and ipykernel. The notebooks themselves stay as they are: outputs are shown, not kept.
"""

import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

folder = Path(__file__).resolve().parents[2] / "sql" / "notebooks"


def run(path: Path, database: str) -> int:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if "parameters" in cell.metadata.get("tags", []):
            cell.source = re.sub(r"^database = .*$", f"database = {database!r}", cell.source, flags=re.M)
    NotebookClient(notebook, timeout=120).execute()
    return sum(cell.cell_type == "code" for cell in notebook.cells)


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    database = str(Path(sys.argv[1]).resolve(strict=True))
    wanted = sys.argv[2:]
    for path in sorted(folder.glob("*.ipynb")):
        if not wanted or path.stem in wanted:
            print(f"{path.name}: {run(path, database)} cells ran")


if __name__ == "__main__":
    main()
