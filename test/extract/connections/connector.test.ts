import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildConnector, Pool } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { bounds } from '../../../src/core/json/bounds.ts';
import { readingOn } from '../../../src/extract/connections/connector.ts';
import { exchange } from '../../../src/extract/exchange/exchange.ts';
import { realOutside } from '../../../src/extract/http/outside.ts';

const body = 'x'.repeat(10_000);
const timeouts = { connect: 1_000, headers: 5_000, idle: 5_000, total: 5_000 };

/** Asks a server for an answer that is paused with its last piece for longer than the connection lasts. */
async function pausedAtItsEnd(head: string, end: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(`${head}\r\n\r\n${body}`, () => end(socket)));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  const pool = realOutside.connect(`http://127.0.0.1:${port}`, { connections: 1, timeout: timeouts.connect });
  onTestFinished(async () => {
    await pool.destroy();
    server.close();
  });
  return exchange(
    pool,
    { method: 'GET', target: '/', headers: {} },
    {
      clock: realOutside.clock,
      timeouts,
      bounds: bounds.page,
      signal: undefined,
      onHead: () => {},
      hold: (bytes) => (bytes < body.length ? undefined : sleep(100)),
    },
  );
}

test.each([
  ['its length', `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${body.length}`],
  ['its length, of an old server', `HTTP/1.0 200 OK\r\ncontent-length: ${body.length}`],
  ['nothing but its end', 'HTTP/1.1 200 OK'],
])('a connection that ends behind a paused answer gives it whole, with %s', async (_, head) => {
  const { content } = await pausedAtItsEnd(head, (socket) => socket.end());
  expect(content.toString()).toBe(body);
});

test('one that breaks inside of it gives an error', async () => {
  const head = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 10001';
  await expect(pausedAtItsEnd(head, (socket) => setTimeout(() => socket.resetAndDestroy(), 20))).rejects.toThrow();
});

test('that the server wants a certificate of the client is told, not the end that follows', async () => {
  const code = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';
  let own: Socket | null = null;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      own?.emit('error', Object.assign(new Error('alert'), { code }));
      own?.emit('end');
      own?.destroy();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  const plain = buildConnector({});
  const connect = readingOn((target, connected) =>
    plain(target, (...made) => {
      own = made[1];
      connected(...made);
    }),
  );
  const pool = new Pool(`http://127.0.0.1:${port}`, { connect });
  onTestFinished(async () => {
    await pool.destroy();
    server.close();
  });
  await expect(pool.request({ method: 'GET', path: '/' })).rejects.toMatchObject({ code });
});
