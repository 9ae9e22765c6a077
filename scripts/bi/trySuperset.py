"""Tries the recipe for Superset of docs/bi.md: adds the reader database, makes a chart through the API, and takes a picture of it.

    python scripts/bi/trySuperset.py <warehouse> --in <folder> --chromium <path>

Superset gets an environment and a database of its own in that folder and listens on this machine alone, while the script runs. The values
of the chart are compared with the reader database's; the picture is `chart.png` in the folder, to be looked at.
"""

import argparse
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

# Superset 6.1 needs rich and an older Flask-Caching, and does not say so.
PACKAGES = ["apache-superset", "duckdb-engine", "duckdb==1.5.*", "rich", "flask-caching==2.3.*"]
CONFIG = """
import os
SECRET_KEY = os.environ["SUPERSET_SECRET_KEY"]
SQLALCHEMY_DATABASE_URI = "sqlite:///" + os.path.join(os.environ["SUPERSET_HOME"], "superset.db")
WTF_CSRF_ENABLED = False
TALISMAN_ENABLED = False
# Whoever takes the picture is not logged in.
AUTH_ROLE_PUBLIC = "Admin"
"""
METRIC = {"expressionType": "SIMPLE", "column": {"column_name": "tx_count"}, "aggregate": "SUM", "label": "transactions"}


def install(folder):
    home = folder / "superset"
    if not (home / "ready").exists():
        venv.create(home, with_pip=True)
        subprocess.run([home / "bin" / "python", "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        (home / "ready").touch()
    return home / "bin"


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class Api:
    def __init__(self, url):
        self.url = url
        self.token = None

    def ask(self, path, body=None):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}{path}", data, headers)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                text = answer.read()
                return json.loads(text) if text.startswith((b"{", b"[")) else text
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {error.code} {error.read().decode()[:500]}") from error


def wait_for(api, seconds=300):
    until = time.monotonic() + seconds
    while True:
        try:
            return api.ask("/health")
        except (OSError, RuntimeError):
            if time.monotonic() > until:
                raise
            time.sleep(2)


def make_chart(api, database):
    """Adds the database, the dataset and the chart. Gives the chart's id and what it shows."""
    added = api.ask("/api/v1/database/", {"database_name": "firn", "sqlalchemy_uri": database})
    dataset = api.ask("/api/v1/dataset/", {"database": added["id"], "schema": "mart", "table_name": "metric_daily"})
    source = {"id": dataset["id"], "type": "table"}
    params = {
        "datasource": f"{dataset['id']}__table",
        "viz_type": "echarts_timeseries_line",
        "x_axis": "day",
        "time_grain_sqla": "P1D",
        "metrics": [METRIC],
        "groupby": ["chain_id"],
        "row_limit": 10000,
        "show_legend": True,
    }
    chart = api.ask(
        "/api/v1/chart/",
        {
            "slice_name": "Transactions a day",
            "viz_type": params["viz_type"],
            "datasource_id": dataset["id"],
            "datasource_type": "table",
            "params": json.dumps(params),
        },
    )
    query = {"columns": ["chain_id", "day"], "metrics": [METRIC], "row_limit": 10000}
    shown = api.ask(
        "/api/v1/chart/data",
        {"datasource": source, "queries": [query], "result_format": "json", "result_type": "full"},
    )
    return chart["id"], shown["result"][0]["data"]


def expected_rows(python, reader):
    code = (
        "import duckdb, json, sys; print(json.dumps(duckdb.connect(sys.argv[1], read_only=True).sql("
        "'SELECT chain_id, epoch_ms(day::TIMESTAMP), CAST(sum(tx_count) AS VARCHAR) FROM mart.metric_daily GROUP BY ALL').fetchall()))"
    )
    return json.loads(subprocess.run([python, "-c", code, reader], check=True, stdout=subprocess.PIPE).stdout)


def main(options):
    folder = options.folder.resolve()
    reader = str(options.warehouse.resolve() / "analytics.duckdb")
    tools = install(folder)
    home = folder / "home"
    home.mkdir(exist_ok=True)
    (home / "superset.db").unlink(missing_ok=True)
    (home / "superset_config.py").write_text(CONFIG)
    password = secrets.token_hex(16)
    environment = os.environ | {
        "SUPERSET_HOME": str(home),
        "SUPERSET_CONFIG_PATH": str(home / "superset_config.py"),
        "SUPERSET_SECRET_KEY": secrets.token_hex(32),
        "FLASK_APP": "superset.app:create_app()",
    }

    def superset(*arguments):
        subprocess.run([tools / "superset", *arguments], check=True, env=environment, stdout=subprocess.DEVNULL)

    superset("db", "upgrade")
    names = ["--username", "admin", "--firstname", "a", "--lastname", "a", "--email", "admin@localhost"]
    superset("fab", "create-admin", *names, "--password", password)
    superset("init")
    port = free_port()
    server = subprocess.Popen(
        [tools / "superset", "run", "--host", "127.0.0.1", "--port", str(port)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=(folder / "superset.log").open("w"),
    )
    try:
        api = Api(f"http://127.0.0.1:{port}")
        wait_for(api)
        login = {"username": "admin", "password": password, "provider": "db", "refresh": False}
        api.token = api.ask("/api/v1/security/login", login)["access_token"]
        chart, shown = make_chart(api, f"duckdb:///{reader}?access_mode=READ_ONLY")
        found = sorted([row["chain_id"], row["day"], str(int(row["transactions"]))] for row in shown if row["transactions"] is not None)
        expected = sorted(row for row in expected_rows(tools / "python", reader) if row[2] is not None)
        print(f"{len(found)} points in the chart, {len(expected)} in the reader database, {'equal' if found == expected else 'different'}")
        if options.chromium:
            picture = folder / "chart.png"
            subprocess.run(
                [options.chromium, "--headless", "--no-sandbox", "--window-size=1200,700", "--virtual-time-budget=60000",
                 f"--screenshot={picture}", f"http://127.0.0.1:{port}/explore/?slice_id={chart}&standalone=1"],
                check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
            print(picture)
        return 0 if found == expected and found else 1
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("warehouse", type=pathlib.Path)
    parser.add_argument("--in", dest="folder", type=pathlib.Path, default=pathlib.Path("engines"))
    parser.add_argument("--chromium")
    sys.exit(main(parser.parse_args()))
