"""Writes blocks, transactions and logs of a chain as Parquet with cryo: cryo_blocks.py URL BLOCKS, in a folder of its own."""

import sys

import cryo

url, blocks = sys.argv[1:]
cryo.freeze(
    ["blocks", "transactions", "logs"],
    rpc=f"{url}/ext/bc/C/rpc",
    blocks=[f"0:{blocks}"],
    network_name="bench",
    output_dir=".",
    verbose=False,
)
