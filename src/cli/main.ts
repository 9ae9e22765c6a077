#!/usr/bin/env -S node --min-semi-space-size=32 --max-semi-space-size=32
// Room for young objects: pages of rows die young, and copying them out of 16 MB costs a fifth of a load's time.
// DuckDB and the file system share libuv's threads, which are made at the first use: four are too few for both.
process.env['UV_THREADPOOL_SIZE'] ??= '16';
const { runCli } = await import('./runCli.ts');
// Not process.exit: what is still in the pipes of stdout and stderr must arrive.
process.exitCode = await runCli(process.argv);
