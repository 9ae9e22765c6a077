import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import net, { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import tls from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createHttp } from '../../../src/extract/http/http.ts';

const retry = { attempts: 1 };

/** A proxy: what it is asked, and the variable that names it. */
async function proxy({
  answer = (_, response) => response.end('{"ok":true}'),
  tunnel = (socket) => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'),
}: {
  answer?: (request: IncomingMessage, response: ServerResponse) => void;
  tunnel?: (socket: Socket) => void;
} = {}) {
  const asked: { method: string; url: string; host: string; authorization: string }[] = [];
  const note = ({ method = '', url = '', headers }: IncomingMessage) =>
    asked.push({ method, url, host: String(headers.host), authorization: String(headers['proxy-authorization']) });
  const server = createServer((request, response) => {
    note(request);
    answer(request, response);
  });
  server.on('connect', (request, socket: Socket) => {
    note(request);
    tunnel(socket);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return { asked, at: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function source(url: string, env: Record<string, string>, timeouts = {}) {
  for (const name of ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy']) {
    for (const one of [name, name.toUpperCase()]) vi.stubEnv(one, env[one] ?? '');
  }
  const http = createHttp({ origin: { url, timeouts }, retry });
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await http.close();
  });
  return (path = '/v1/x') => http.send({ method: 'GET', path });
}

test('a source by http is asked by its proxy, with the user and password that it wants', async () => {
  const { asked, at } = await proxy();
  const send = source('http://source.example:9650/base', { HTTP_PROXY: `http://me:s%20cret@${at}` });
  expect((await send()).body).toEqual({ ok: true });
  expect((await send('/v1/y')).body).toEqual({ ok: true });
  const authorization = `Basic ${Buffer.from('me:s cret').toString('base64')}`;
  expect(asked).toEqual(
    ['x', 'y'].map((name) => ({
      method: 'GET',
      url: `http://source.example:9650/base/v1/${name}`,
      host: 'source.example:9650',
      authorization,
    })),
  );
});

test.each([
  [403, 'no', true],
  [502, '<h1>no</h1>', true],
  [403, '{"message":"no","statusCode":403}', false],
])(
  'what a proxy may have answered itself (%i, %s) to a source by http is told so: %s',
  async (status, body, isTold) => {
    const { at } = await proxy({ answer: (_, response) => response.writeHead(status).end(body) });
    const { message } = (await source('http://source.example', { HTTP_PROXY: at })().catch(
      (error: Error) => error,
    )) as Error;
    expect(message).toContain(`answered ${status} `);
    expect(message.includes('It may be the proxy that says so')).toBe(isTold);
  },
);

test.each([
  ['me:50%off', 'me:50%off'],
  ['a-token', 'a-token:'],
])('a proxy is told %s as curl tells it', async (written, sent) => {
  const { asked, at } = await proxy();
  await source('http://source.example', { HTTP_PROXY: `http://${written}@${at}` })();
  expect(asked[0]?.authorization).toBe(`Basic ${Buffer.from(sent).toString('base64')}`);
});

test('a source by https is asked through a tunnel, in which TLS begins', async () => {
  let began: Buffer | undefined;
  const { asked, at } = await proxy({
    tunnel(socket) {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.once('data', (bytes) => {
        began = bytes;
        socket.destroy();
      });
    },
  });
  await expect(source('https://source.example', { HTTPS_PROXY: at })()).rejects.toThrow(
    `GET https://source.example/v1/x (by the proxy http://${at}) got no answer: the connection broke`,
  );
  expect(asked).toMatchObject([{ method: 'CONNECT', url: 'source.example:443' }]);
  // A handshake that names the server.
  expect([began?.[0], began?.includes('source.example')]).toEqual([0x16, true]);
});

test('a server on this machine, and one that NO_PROXY names, are asked without one', async () => {
  const { asked, at } = await proxy();
  const server = await proxy({ answer: (_, response) => response.end('{"direct":true}') });
  expect((await source(`http://${server.at}`, { HTTP_PROXY: at })()).body).toEqual({ direct: true });
  await expect(source('http://nobody.invalid', { HTTP_PROXY: at, NO_PROXY: '.invalid' })()).rejects.toThrow(
    /^http:\/\/nobody.invalid could not be reached: the host name was not found \(E\w+\)\. Check the name in the URL, this machine's DNS/,
  );
  expect(asked).toEqual([]);
});

test.each([
  ['http://127.0.0.1:1', {}, net],
  ['https://127.0.0.1:1', {}, tls],
  ['http://source.example', { HTTP_PROXY: 'http://127.0.0.1:1' }, net],
  ['http://source.example', { HTTP_PROXY: 'https://localhost:1' }, tls],
  ['https://source.example', { HTTPS_PROXY: 'http://127.0.0.1:1' }, net],
])('%s with %j gives no address up as early as Node does', async (url, env, module) => {
  const connect = vi.spyOn(module, 'connect');
  onTestFinished(() => connect.mockRestore());
  await expect(source(url, env, { connect: 1_001 })()).rejects.toThrow('could not be reached');
  expect(connect).toHaveBeenCalledWith(expect.objectContaining({ autoSelectFamilyAttemptTimeout: 501 }));
});

test.each([
  [
    407,
    'unauthorized',
    /the proxy does not let it through \(it answered 407\)\. Write its user and password into the variable that names it: HTTPS_PROXY=http:\/\/<user>:<password>@/,
  ],
  [
    403,
    'refused',
    /the proxy does not let it through \(it answered 403\)\. Ask who runs the proxy to let this host through/,
  ],
  [429, 'rate_limited', /the proxy does not let it through \(it answered 429\)\. Run again later/],
  [502, 'unavailable', /could not be reached: nothing answers at that address \(PROXY_502\)/],
])('a tunnel refused with %s says that it was the proxy', async (status, code, message) => {
  const { at } = await proxy({ tunnel: (socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`) });
  const failure = source('https://source.example', { HTTPS_PROXY: `http://me:hidden-word@${at}` })();
  await expect(failure).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  await expect(failure).rejects.not.toThrow(/hidden-word/);
});

test('so does a proxy by http that wants another password, and one that is not there', async () => {
  const { at } = await proxy({ answer: (_, response) => response.writeHead(407).end() });
  await expect(source('http://source.example', { HTTP_PROXY: at })()).rejects.toMatchObject({
    code: 'unauthorized',
    message: expect.stringContaining('it answered 407'),
  });
  const gone = createTcpServer();
  await new Promise<void>((listening) => gone.listen(0, '127.0.0.1', listening));
  const { port } = gone.address() as AddressInfo;
  await new Promise((closed) => gone.close(closed));
  await expect(source('https://source.example', { HTTPS_PROXY: `http://127.0.0.1:${port}` })()).rejects.toThrow(
    `https://source.example (by the proxy http://127.0.0.1:${port}) could not be reached: nothing answers`,
  );
});

test('a proxy that closes instead of answering is not asked again and again', async () => {
  const { asked, at } = await proxy({ tunnel: (socket) => socket.end() });
  await expect(source('https://source.example', { HTTPS_PROXY: at })()).rejects.toMatchObject({ code: 'unavailable' });
  expect(asked).toHaveLength(1);
});

test('a proxy that answers nothing is given as long as a connection, twice', { tags: 'long' }, async () => {
  const { at } = await proxy({ tunnel: () => {} });
  await expect(source('https://source.example', { HTTPS_PROXY: at }, { connect: 50, total: 2_000 })()).rejects.toThrow(
    'could not be reached: nothing answers at that address (UND_ERR_CONNECT_TIMEOUT)',
  );
});
