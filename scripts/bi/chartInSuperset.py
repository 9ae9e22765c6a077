"""Puts a published warehouse into Superset through its API: database, data set, chart; and draws the chart as people see it.

    python scripts/bi/chartInSuperset.py <warehouse> --in <folder for the environment> [--picture <file.png>]

Superset gets a virtual environment of its own in that folder (Python 3.10 or 3.11), its own SQLite, and a free port on loopback; it is
stopped at the end. The chart's numbers are read through the API and compared with the reader database. The picture is taken by the
Chromium of Playwright. Ends with 1 where a number differs.
"""

import argparse
import contextlib
import json
import os
import pathlib
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import venv

# As docs/bi.md says, and what takes the picture.
PACKAGES = ["apache-superset==6.1.*", "duckdb-engine", "rich", "cachetools", "flask-caching==2.3.*", "playwright"]
CHAIN = "43112"


def install(folder):
    """The folder of the programs that are installed."""
    programs = folder / "env" / "bin"
    if not (folder / "ready").exists():
        venv.create(folder / "env", with_pip=True)
        subprocess.run([programs / "pip", "install", "--quiet", *PACKAGES], check=True)
        (folder / "ready").touch()
    return programs


def configure(folder, superset):
    """Superset's own database with an administrator. Returns the environment it runs in, and the password."""
    password, config = secrets.token_urlsafe(16), folder / "superset_config.py"
    (folder / "superset.db").unlink(missing_ok=True)
    config.write_text(
        f"SECRET_KEY = {secrets.token_urlsafe(42)!r}\n"
        f"SQLALCHEMY_DATABASE_URI = 'sqlite:///{folder / 'superset.db'}'\n"
        "WTF_CSRF_ENABLED = False\n"
    )
    env = os.environ | {"SUPERSET_CONFIG_PATH": str(config), "SUPERSET_HOME": str(folder), "FLASK_APP": "superset"}
    person = ["--username", "admin", "--firstname", "A", "--lastname", "B", "--email", "admin@localhost"]
    for step in [["db", "upgrade"], ["fab", "create-admin", *person, "--password", password], ["init"]]:
        subprocess.run([superset, *step], check=True, env=env, stdout=sys.stderr)
    return env, password


@contextlib.contextmanager
def server(folder, superset, env):
    """Superset on a free port of loopback, until the block ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with open(folder / "superset.log", "w") as log:
        command = [superset, "run", "--port", str(port), "--with-threads"]
        process = subprocess.Popen(command, env=env, stdout=log, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}"
            await_health(url, process, folder)
            yield url
        finally:
            process.terminate()
            process.wait()


def await_health(url, process, folder, seconds=180):
    for _ in range(seconds):
        if process.poll() is not None:
            break
        with contextlib.suppress(OSError):
            return urllib.request.urlopen(f"{url}/health").read()
        time.sleep(1)
    sys.exit(f"Superset does not answer at {url}: see {folder / 'superset.log'}.")


def caller(url, token=None):
    def call(path, body=None):
        headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{url}/api/v1/{path}", data, headers)) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            sys.exit(f"Superset answers {error.code} to {path}: {error.read().decode()}")

    return call


def make_chart(call, warehouse):
    """Database, data set and chart. Returns the chart's id and its rows as Superset gives them."""
    uri = f"duckdb:///{warehouse / 'analytics.duckdb'}?access_mode=READ_ONLY"
    database = call("database/", {"database_name": "firn", "sqlalchemy_uri": uri})["id"]
    dataset = call("dataset/", {"database": database, "schema": "mart", "table_name": "metric_daily"})["id"]
    metric = {"expressionType": "SQL", "sqlExpression": "max(tx_count)", "label": "transactions"}
    chain = {"clause": "WHERE", "expressionType": "SIMPLE", "subject": "chain_id", "operator": "==", "comparator": CHAIN}
    form = {
        "datasource": f"{dataset}__table",
        "viz_type": "echarts_timeseries_bar",
        "x_axis": "day",
        "time_grain_sqla": "P1D",
        "metrics": [metric],
        "adhoc_filters": [chain],
        "row_limit": 1000,
    }
    query = {
        "columns": ["day"],
        "metrics": [metric],
        "filters": [{"col": "chain_id", "op": "==", "val": CHAIN}],
        "orderby": [["day", True]],
        "row_limit": 1000,
    }
    source = {"id": dataset, "type": "table"}
    context = {"datasource": source, "queries": [query], "form_data": form, "result_format": "json", "result_type": "full"}
    chart = {"slice_name": "Transactions a day", "viz_type": form["viz_type"], "params": json.dumps(form)}
    made = call("chart/", chart | {"datasource_id": dataset, "datasource_type": "table"})["id"]
    return made, call("chart/data", context)["result"][0]["data"]


PICTURE = """
import sys
from playwright.sync_api import sync_playwright

url, chart, password, file, browser = sys.argv[1:]
with sync_playwright() as p:
    chromium = p.chromium.launch(executable_path=browser or None, args=["--no-sandbox"])
    page = chromium.new_page(viewport={"width": 1200, "height": 700})
    page.goto(f"{url}/login/")
    page.fill("input[name=username], #username", "admin")
    page.fill("input[name=password], #password", password)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda address: "/login" not in address, timeout=120_000)
    page.goto(f"{url}/explore/?slice_id={chart}&standalone=1")
    page.wait_for_selector("canvas", timeout=120_000)
    page.wait_for_timeout(3_000)
    page.screenshot(path=file)
"""

EXPECTED = """
import duckdb, json, sys
rows = duckdb.connect(sys.argv[1], read_only=True).execute(
    "SELECT epoch_ms(CAST(day AS TIMESTAMP)), CAST(tx_count AS BIGINT) FROM mart.metric_daily WHERE chain_id = ? ORDER BY day", [sys.argv[2]]
).fetchall()
print(json.dumps(rows))
"""


def main(options):
    folder, warehouse = options.folder.resolve(), options.warehouse.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    programs = install(folder)
    python, superset = programs / "python", programs / "superset"
    env, password = configure(folder, superset)
    database = str(warehouse / "analytics.duckdb")
    expected = json.loads(subprocess.run([python, "-c", EXPECTED, database, CHAIN], check=True, stdout=subprocess.PIPE).stdout)
    with server(folder, superset, env) as url:
        login = {"username": "admin", "password": password, "provider": "db"}
        call = caller(url, caller(url)("security/login", login)["access_token"])
        chart, rows = make_chart(call, warehouse)
        if options.picture:
            picture = [url, str(chart), password, str(options.picture), options.browser]
            subprocess.run([python, "-c", PICTURE, *picture], check=True)
    drawn = [[int(row["day"]), int(row["transactions"])] for row in rows]
    print(f"{len(drawn)} days of chain {CHAIN}, {sum(count for _, count in drawn)} transactions")
    if drawn == expected and drawn:
        return 0
    print(f"They differ from the reader database, which has {len(expected)} days.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("warehouse", type=pathlib.Path)
    parser.add_argument("--in", dest="folder", type=pathlib.Path, default=pathlib.Path("superset"))
    parser.add_argument("--picture", type=pathlib.Path)
    parser.add_argument("--browser", default="", help="Chromium to draw with. Default: that of Playwright")
    sys.exit(main(parser.parse_args()))
