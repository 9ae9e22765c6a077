import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { messageOf } from '../core/firnError.ts';
import { answerQuery } from '../report/query/answerQuery.ts';
import type { QueryRequest } from '../report/query/queryRequest.ts';

// Runs one query, for `firn query` and `firn serve`: the request comes on stdin, the answer goes to stdout, what went wrong to stderr.
// Read before anything is waited for: whoever adopts a child of a process that was killed has another number.
const parent = process.ppid;
const request = JSON.parse(await text(process.stdin)) as QueryRequest;

/** Not process.exit: that waits for what DuckDB is doing. */
const end = (message: string): void => {
  process.stderr.write(message, () => process.kill(process.pid, 'SIGKILL'));
};
// DuckDB looks at interrupts and at its own limit of memory only now and then.
setTimeout(() => end(`The query took longer than ${request.time / 1000} s.`), request.time).unref();
setInterval(() => {
  // Nobody waits for the answer any more.
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  if (process.memoryUsage.rss() > request.processMemory * 1e6)
    end(`The query took more than ${request.processMemory} MB.`);
}, 20).unref();

try {
  await answerQuery(request, async (piece) => {
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
  });
} catch (error) {
  end(messageOf(error));
}
