"""Reads every published table by its folder with each engine and compares rows, sums and types with the reader database.

    python scripts/bi/compareEngines.py <warehouse> --in <folder for the engines' environments>

Every engine gets a virtual environment of its own in that folder (Spark also needs Java). Prints a table in Markdown, and on stderr every
column that differs and every view that an engine is too old for; ends with 1 where a column differs.

Compared per column: how many values are not NULL, and their exact sum: of whole numbers and decimals, of times as microseconds in UTC, of
texts, bytes and lists as their lengths. Doubles are added up without loss (fsum).
"""

import argparse
import datetime
import decimal
import json
import math
import pathlib
import subprocess
import sys
import venv

decimal.getcontext().prec = 200

# Name, and what to install.
ENGINES = {
    "DuckDB 1.0": ["duckdb==1.0.0"],
    "DuckDB 1.1": ["duckdb==1.1.3"],
    "DuckDB 1.2": ["duckdb==1.2.2"],
    "DuckDB 1.5": ["duckdb==1.5.*"],
    "DuckDB 2.0": ["duckdb==2.0.*"],
    "pyarrow": ["pyarrow"],
    "pandas": ["pandas", "pyarrow"],
    "Polars": ["polars"],
    "DataFusion": ["datafusion", "pyarrow"],
    "ClickHouse (chdb)": ["chdb", "pyarrow"],
    "Spark": ["pyspark"],
    "Tableau (Hyper)": ["tableauhyperapi"],
}


def read_duckdb(folder):
    import duckdb

    connection = duckdb.connect()
    relation = connection.sql(f"SELECT * FROM read_parquet('{folder}/*.parquet')")
    types = dict(zip(relation.columns, map(str, relation.types)))
    return types, dict(zip(relation.columns, columns_of(relation.fetchall(), len(relation.columns))))


def read_arrow(table):
    return {field.name: str(field.type) for field in table.schema}, {
        name: table.column(name).to_pylist() for name in table.column_names
    }


def read_pyarrow(folder):
    import pyarrow.parquet

    return read_arrow(pyarrow.parquet.read_table(folder))


def read_pandas(folder):
    import pandas

    plain = pandas.read_parquet(folder)
    # Whole numbers beside NULL are doubles without it.
    exact = pandas.read_parquet(folder, dtype_backend="pyarrow")
    none = lambda value: None if value is pandas.NA or value is pandas.NaT else value
    return plain.dtypes.astype(str).to_dict(), {name: [none(value) for value in exact[name].tolist()] for name in exact}


def read_polars(folder):
    import polars

    frame = polars.read_parquet(folder)
    return {name: str(kind) for name, kind in frame.schema.items()}, frame.to_dict(as_series=False)


def read_datafusion(folder):
    from datafusion import SessionContext

    return read_arrow(SessionContext().read_parquet(f"{folder}/").to_arrow_table())


def read_chdb(folder):
    import chdb

    source = f"file('{folder}/*.parquet', Parquet)"
    described = str(chdb.query(f"DESCRIBE {source}", "JSONEachRow")).splitlines()
    types = {row["name"]: row["type"] for row in map(json.loads, described)}
    options = "SETTINGS output_format_arrow_string_as_string = 0, session_timezone = 'UTC'"
    _, values = read_arrow(chdb.query(f"SELECT * FROM {source} {options}", "ArrowTable"))
    return types, values


def read_spark(folder):
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    frame = session.read.parquet(str(folder))
    return dict(frame.dtypes), dict(zip(frame.columns, columns_of(frame.collect(), len(frame.columns))))


def read_hyper(folder):
    from tableauhyperapi import Connection, HyperProcess, Telemetry

    files = ", ".join(f"'{path}'" for path in sorted(folder.glob("*.parquet")))
    source = f"external(ARRAY[{files}], FORMAT => 'parquet')"
    with HyperProcess(Telemetry.DO_NOT_SEND_USAGE_DATA_TO_TABLEAU) as process, Connection(process.endpoint) as connection:
        with connection.execute_query(f"SELECT * FROM {source}") as result:
            types = {column.name.unescaped: str(column.type) for column in result.schema.columns}
            rows = [list(row) for row in result]
    return types, dict(zip(types, columns_of(rows, len(types))))


def read_with(engine, folder):
    readers = {"pyarrow": read_pyarrow, "pandas": read_pandas, "Polars": read_polars, "DataFusion": read_datafusion}
    readers |= {"ClickHouse (chdb)": read_chdb, "Spark": read_spark, "Tableau (Hyper)": read_hyper}
    return readers.get(engine, read_duckdb)(folder)


def columns_of(rows, width):
    return list(zip(*rows)) if rows else [()] * width


EPOCH = datetime.datetime(1970, 1, 1)


def size_of(value):
    """A value as an exact number."""
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, (bytes, bytearray, memoryview, list, tuple)) or hasattr(value, "tolist"):
        return len(value)
    if hasattr(value, "to_datetime"):
        value = value.to_datetime()
    if hasattr(value, "to_date"):
        value = value.to_date()
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return (value - EPOCH) // datetime.timedelta(microseconds=1)
    if isinstance(value, datetime.date):
        return (value - EPOCH.date()).days
    return value


def facts_of(values):
    sizes = [size_of(value) for value in values if value is not None]
    if any(isinstance(size, float) for size in sizes):
        return [len(sizes), repr(math.fsum(sizes))]
    total = sum(map(decimal.Decimal, sizes), decimal.Decimal(0))
    return [len(sizes), f"{total.normalize():f}"]


def tables_of(warehouse):
    manifest = json.loads((warehouse / "lake" / "_manifest.json").read_text())
    return [table for table in manifest["tables"] if table["files"]]


def read_all(engine, warehouse):
    """What one engine finds: per table rows, facts and types, or why it cannot be read."""
    found = {}
    for table in tables_of(warehouse):
        folder = warehouse / "parquet" / table["schema"] / table["name"]
        try:
            types, columns = read_with(engine, folder)
            rows = max((len(values) for values in columns.values()), default=0)
            facts = {name: facts_of(values) for name, values in columns.items()}
            found[f"{table['schema']}.{table['name']}"] = {"rows": rows, "facts": facts, "types": types}
        except Exception as error:
            found[f"{table['schema']}.{table['name']}"] = {"error": f"{type(error).__name__}: {error}"}
    return found


def read_views(warehouse):
    """The reader database with this DuckDB: how many views it shows, which it does not, and the rows and facts of those that have files."""
    import duckdb

    reader = duckdb.connect(str(warehouse / "analytics.duckdb"), read_only=True)
    views = reader.sql("SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1").fetchall()
    failed, found = {}, {}
    published = {f"{table['schema']}.{table['name']}" for table in tables_of(warehouse)}
    for (view,) in views:
        try:
            relation = reader.sql(f"SELECT * FROM {view}")
            if view not in published:
                relation.limit(1).fetchall()
                continue
            rows = relation.fetchall()
            columns = dict(zip(relation.columns, columns_of(rows, len(relation.columns))))
            found[view] = {"rows": len(rows), "facts": {name: facts_of(values) for name, values in columns.items()}}
        except Exception as error:
            failed[view] = str(error).splitlines()[0]
    return {"views": len(views), "failed": failed, "found": found}


def differences(engine, expected, found):
    for name, table in expected.items():
        other = found.get(name, {"error": "it was not read"})
        if "error" in other:
            yield f"{engine}: {name}: {other['error']}"
            continue
        if other["rows"] != table["rows"]:
            yield f"{engine}: {name}: {other['rows']} rows, DuckDB {table['rows']}"
        for column, facts in table["facts"].items():
            if other["facts"].get(column) != facts:
                yield f"{engine}: {name}.{column}: {other['facts'].get(column)}, DuckDB {facts}"


def python_of(folder, engine, packages):
    home = folder / "".join(sign if sign.isalnum() else "_" for sign in engine)
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        venv.create(home, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        (home / "ready").touch()
    return python


def ask(python, *arguments):
    asked = subprocess.run([python, __file__, *arguments], check=True, stdout=subprocess.PIPE)
    return json.loads(asked.stdout.splitlines()[-1])


def version_of(python, packages):
    name = packages[0].split("=")[0]
    code = f"import importlib.metadata as m; print(m.version('{name}'))"
    return subprocess.run([python, "-c", code], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def shown_types(expected_types, types):
    """What becomes of text, times and wide decimals, by the first column of each kind."""
    texts = []
    for kind in ("VARCHAR", "TIMESTAMP", "DECIMAL(38,0)", "BLOB"):
        kinds = sorted({types[name][column] for name, column in expected_types.get(kind, []) if column in types.get(name, {})})
        texts.append(", ".join(kinds) or "–")
    return texts


def main(options):
    warehouse = options.warehouse.resolve()
    if options.engine:
        print(json.dumps(read_all(options.engine, warehouse)))
        return 0
    if options.views:
        print(json.dumps(read_views(warehouse)))
        return 0
    folder = options.folder.resolve()
    pythons = {engine: python_of(folder, engine, packages) for engine, packages in ENGINES.items()}
    expected = ask(pythons["DuckDB 1.5"], str(warehouse), "--views")["found"]
    by_kind = {}
    for table in tables_of(warehouse):
        for column in table["columns"]:
            by_kind.setdefault(column["parquet_type"], []).append((f"{table['schema']}.{table['name']}", column["name"]))
    heads = ["engine", "version", "tables", "views", "differences", "text", "TIMESTAMP", "DECIMAL(38,0)", "bytes"]
    for cells in [heads, ["---"] * len(heads)]:
        print(f"| {' | '.join(cells)} |")
    problems = []
    for engine, packages in ENGINES.items():
        python = pythons[engine]
        found = ask(python, str(warehouse), "--engine", engine)
        wrong = list(differences(engine, expected, found))
        views = "–"
        if engine.startswith("DuckDB"):
            reader = ask(python, str(warehouse), "--views")
            for view, why in reader["failed"].items():
                print(f"{engine}: view {view}: {why}", file=sys.stderr)
            shown = {name: table for name, table in expected.items() if name not in reader["failed"]}
            wrong += list(differences(f"{engine} (views)", shown, reader["found"]))
            views = f"{reader['views'] - len(reader['failed'])} of {reader['views']}"
        problems += wrong
        types = {name: table.get("types", {}) for name, table in found.items()}
        read = sum("error" not in table for table in found.values())
        cells = [engine, version_of(python, packages), f"{read} of {len(expected)}", views, len(wrong) or "none"]
        print(f"| {' | '.join(str(cell) for cell in [*cells, *shown_types(by_kind, types)])} |", flush=True)
        print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr, flush=True)
    return 1 if problems else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("warehouse", type=pathlib.Path)
    parser.add_argument("--in", dest="folder", type=pathlib.Path, default=pathlib.Path("engines"))
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("--views", action="store_true", help=argparse.SUPPRESS)
    sys.exit(main(parser.parse_args()))
