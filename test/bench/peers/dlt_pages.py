"""Loads paged lists into DuckDB with dlt: dlt_pages.py URL PATH..., in a folder of its own. Prints how many records it loaded."""

import sys

import dlt
from dlt.sources.helpers.rest_client import RESTClient
from dlt.sources.helpers.rest_client.paginators import JSONResponseCursorPaginator

url, *paths = sys.argv[1:]
dlt.config["runtime.dlthub_telemetry"] = False
client = RESTClient(base_url=url, data_selector="transactions")


def pages(path):
    paginator = JSONResponseCursorPaginator(cursor_path="nextPageToken", cursor_param="pageToken")
    yield from client.paginate(path, params={"pageSize": 100}, paginator=paginator)


# As Parquet files on the way: as INSERT statements, which is what dlt does by itself, it takes four times the time and ten times the
# memory. One resource a list, which dlt reads side by side, into one table and those of the children.
resources = [
    dlt.resource(pages, name=f"list_{n}", table_name="transactions", parallelized=True)(path)
    for n, path in enumerate(paths)
]
pipeline = dlt.pipeline("bench", pipelines_dir=".", destination=dlt.destinations.duckdb("bench.duckdb"), dataset_name="raw")
pipeline.run(resources, loader_file_format="parquet").raise_on_failed_jobs()
print(pipeline.last_trace.last_normalize_info.row_counts["transactions"])
