#!/usr/bin/env node
import { Console } from 'node:console';
import module from 'node:module';
import { isatty } from 'node:tty';
import { setFlagsFromString } from 'node:v8';
import { oldNode } from '../core/text/oldNode.ts';
import { plugAndPlay } from '../core/text/plugAndPlay.ts';
import { wantedNode } from '../load/packageFiles.ts';
import { cacheFolder } from './program/cacheFolder.ts';
import { listenForOutputErrors } from './terminal/outputErrors.ts';
import { stopBeforeStart } from './terminal/stopBeforeStart.ts';

/** Node's exit code for an await that nothing will end. */
const unsettled = 13;

// Node 22.8 and later keep what they compiled for the next start. Not in the temporary folder, as they would: there, another user of the machine
// could have laid code under these names before.
const kept = process.env['NODE_COMPILE_CACHE'] || cacheFolder();
if (kept !== null) (module as { enableCompileCache?: (folder: string) => void }).enableCompileCache?.(kept);
// DuckDB and the file system share libuv's threads, which are made at the first use: four are too few for both.
process.env['UV_THREADPOOL_SIZE'] ??= '16';
// Which Node the S3 client of another year will need is no news of this one, which is pinned: it would be said at each start of a worker.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
// Answers count as memory of the heap though they do not lie in it: with the usual factor of growth the collector goes through a small heap
// again for every 16 MB that are read. This way a load of paged transactions takes a tenth less time, and no more memory.
setFlagsFromString('--heap-growing-percent=200');
// Functions are optimised six times later than usual: in a run of seconds most do not repay what their compilation takes from DuckDB and the
// reader. A load of 200,000 transactions takes 3.9 CPU seconds in place of 4.3, one of 10,000 blocks 6.3 in place of 6.9.
// Only V8 11, which is in Node 20, has this flag; others would say so on stderr.
if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=400000');
const terminals = [0, 1, 2].filter((fd) => isatty(fd));
listenForOutputErrors();
stopBeforeStart();
// What a file of an extension logs has no place in what a command prints, such as the document of --json.
globalThis.console = new Console(process.stderr);
// What follows may not even load in an older one.
const unfit = oldNode(process.versions.node, wantedNode()) ?? plugAndPlay(process.versions);
if (unfit !== null) {
  process.stderr.write(`firn: ${unfit}\n`);
  process.exit(1);
}
// Where a run waits for what never comes and nothing else is under way, Node ends it without a word.
let hasEnded = false;
process.on('exit', (code) => {
  if (hasEnded || ![0, unsettled].includes(code)) return;
  process.stderr.write(
    'firn: The command came to no end, which is an error in firn, or in a file of an extension that never comes to its end: report what you ran. What was committed is kept; run it again.\n',
  );
  process.exitCode = 1;
});
try {
  const { runCli } = await import('./program/runCli.ts');
  // Not process.exit: what is still in the pipes of stdout and stderr must arrive.
  process.exitCode = await runCli(process.argv);
  hasEnded = true;
  // Node would abort: it cannot give a terminal that is gone its settings back.
  if (terminals.some((fd) => !isatty(fd))) process.kill(process.pid, 'SIGHUP');
} catch (error) {
  const [said = ''] = String((error as Error)?.message).split('\n');
  // An install that was cut off, or copied from another platform: not even firn doctor would get as far as saying so.
  if (/\b(EMFILE|ENFILE)\b|too many open files/i.test(said)) {
    process.stderr.write(
      `firn: This process may not open as many files as it needs: ${said}. Raise the limit, such as with ulimit -n 1024, and run again.\n`,
    );
    process.exit(1);
  }
  if (!/duckdb/i.test(said)) throw error;
  process.stderr.write(
    `firn: DuckDB's library cannot be loaded: ${said}. Install firn-etl again on this machine, with its optional packages: they hold the library of each platform.\n`,
  );
  // Modules that wait for this one fail after it, each with a page of its own.
  process.exit(1);
}
