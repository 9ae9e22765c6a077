"""Reads every published Parquet file back with Apache Arrow and compares it with the reader database.

Run by hand:  pip install pyarrow duckdb && python test/scripts/readBackPyarrow.py <warehouse>

Arrow shares no code with DuckDB. Compared exactly, per table and column: rows, NULLs, sum, least and greatest value of
integers, decimals, times and booleans, and of texts and bytes the sum of lengths and the least and greatest value. Columns that only the
files have (`<column>_exact`) must hold the digits of their column wherever it has more than 28, and nothing else.
"""

import datetime
import decimal
import json
import pathlib
import sys

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

decimal.getcontext().prec = 100
EPOCH = datetime.datetime(1970, 1, 1)


def facts_of(array: pa.ChunkedArray) -> tuple:
    """Non-NULL count, sum, least and greatest, all exact."""
    values = [value for value in array.to_pylist() if value is not None]
    kind = array.type
    if pa.types.is_timestamp(kind):
        values = [(value - EPOCH) // datetime.timedelta(microseconds=1) for value in values]
    elif pa.types.is_date(kind):
        values = [(value - EPOCH.date()).days for value in values]
    elif pa.types.is_boolean(kind):
        values = [int(value) for value in values]
    elif pa.types.is_list(kind):
        values = [len(value) for value in values]
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        values = [value.encode() for value in values]
    if not values:
        return (0, None, None, None)
    total = sum(len(value) for value in values) if isinstance(values[0], bytes) else sum(values)
    return (len(values), total, min(values), max(values))


def expected_facts(reader, table: str, name: str, kind: str) -> tuple:
    column = '"' + name.replace('"', '""') + '"'
    if kind == "TIMESTAMP":
        value = f"epoch_us({column})"
    elif kind == "DATE":
        value = f"({column} - DATE '1970-01-01')"
    elif kind == "BOOLEAN":
        value = f"CAST({column} AS INTEGER)"
    elif kind.endswith("[]"):
        value = f"len({column})"
    elif kind == "BLOB":
        value, length = column, f"octet_length({column})"
    elif kind == "VARCHAR":
        value, length = f"encode({column})", f"strlen({column})"
    else:
        value = column
    total = length if kind in ("BLOB", "VARCHAR") else value
    if kind.startswith("DECIMAL"):
        # A sum in SQL may overflow 38 digits: Python adds the values up.
        rows = [row[0] for row in reader.sql(f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL").fetchall()]
        return (len(rows), sum(rows), min(rows), max(rows)) if rows else (0, None, None, None)
    cast = "" if kind == "DOUBLE" else "::HUGEINT"
    return reader.sql(
        f"SELECT count({column}), sum({total}{cast}), min({value}), max({value}) FROM {table}"
    ).fetchall()[0]


def digits_differ(whole: pa.Table, name: str, base: str) -> str | None:
    """What is wrong with a column of exact digits."""
    if base not in whole.column_names:
        return f"{name} belongs to no column"
    has_text = f"{base}_text" in whole.column_names
    for value, text in zip(whole.column(base).to_pylist(), whole.column(name).to_pylist()):
        wide = value is not None and len(value.as_tuple().digits) > 28
        if has_text and value is None:
            continue
        if (text is not None) != wide or (wide and decimal.Decimal(text) != value):
            return f"{name} is {text} beside {value}"
    return None


def main(warehouse: pathlib.Path) -> int:
    manifest = json.loads((warehouse / "lake" / "_manifest.json").read_text())
    reader = duckdb.connect(str(warehouse / "analytics.duckdb"), read_only=True)
    compared = differences = 0
    for table in manifest["tables"]:
        if not table["files"]:
            continue
        title = f'{table["schema"]}.{table["name"]}'
        folders = table["partition_columns"]
        parts = [pq.read_table(warehouse / "lake" / file["path"], partitioning=None) for file in table["files"]]
        whole = pa.concat_tables(parts)
        for column in table["columns"]:
            name = column["name"]
            if name in folders:
                values = [
                    file["partition"][folders.index(name)]
                    for file in table["files"]
                    for _ in range(file["rows"])
                ]
                array = pa.chunked_array([pa.array(values, pa.string())])
            else:
                array = whole.column(name)
            kind = column["parquet_type"]
            found = facts_of(array)
            expected = tuple(expected_facts(reader, title, name, kind))
            if kind == "DOUBLE":
                # The order of additions differs; the values themselves must not.
                found, expected = (found[0], *found[2:]), (expected[0], *expected[2:])
            compared += 1
            if pa.types.is_floating(array.type) != (kind == "DOUBLE"):
                differences += 1
                print(f"{title}.{name}: {array.type} in the file, {kind} in the manifest")
            if found != expected:
                differences += 1
                print(f"{title}.{name}: Arrow {found}, DuckDB {expected}")
        own = {column["name"] for column in table["columns"]}
        for name in [name for name in whole.column_names if name not in own]:
            compared += 1
            problem = digits_differ(whole, name, name.removesuffix("_exact"))
            if problem:
                differences += 1
                print(f"{title}: {problem}")
    print(f"{compared} columns of {len(manifest['tables'])} tables compared, {differences} differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
