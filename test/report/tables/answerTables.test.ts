import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { publish } from '../../../src/publish/publish.ts';
import { createReportServer } from '../../../src/report/reportServer.ts';
import { listening } from '../../listening.ts';
import { sampleReport } from '../sampleReport.ts';
import { sampleWarehouse } from '../sampleWarehouse.ts';

/** A table of more than any buffer between a server and its client holds. */
const wide = `CREATE VIEW mart.wide AS SELECT repeat('x', 1000000) AS "text" FROM range(100)`;

test('whoever stops reading a download is let go when its time is over, and others find room', {
  tags: 'long',
}, async () => {
  const { warehouse, folder, close: remove } = await sampleWarehouse({ days: 2, last: wide });
  onTestFinished(remove);
  await publish(warehouse, { runId: 'r2' });
  const report = await sampleReport({ days: 2 });
  const relations = new Map([['mart.wide', new Map([['text', 'VARCHAR']])]]);
  const server = createReportServer({
    load: async () => ({ report, health: { exitCode: 0 }, relations, comments: new Map() }),
    version: async () => '"1"',
    state: async () => '',
    tables: { folder },
  });
  const { url, close } = await listening(server);
  onTestFinished(close);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { hostname, port, host } = new URL(url);
  const taken: Socket[] = [];
  server.on('connection', (socket) => taken.push(socket));
  for (let paused = 0; paused < 4; paused++) {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    socket.write(`GET /tables/mart.wide.csv HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    // It has begun, and nothing takes what comes.
    await once(socket, 'readable');
  }
  // Until everything between is full.
  const seen: number[] = [];
  const grown = () => {
    seen.push(taken.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0));
    return seen.at(-1) !== seen.at(-2);
  };
  await expect.poll(grown, { timeout: 60_000, interval: 500 }).toBe(false);
  const status = async () => (await fetch(`${url}/sql?q=SELECT+1`)).status;
  expect(await status()).toBe(503);
  vi.advanceTimersByTime(11 * 60_000);
  await expect.poll(status, { timeout: 60_000, interval: 50 }).toBe(200);
});
