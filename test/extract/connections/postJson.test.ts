import { expect, test } from 'vitest';
import { messageOf } from '../../../src/core/firnError.ts';
import { postJson } from '../../../src/extract/connections/postJson.ts';
import { localServer } from '../localServer.ts';

const signal = AbortSignal.timeout(60_000);

test('posts JSON with its headers, and a URL’s user and password as authorization', async () => {
  const server = await localServer((response) => response.writeHead(202).end('{"queued":true}'));
  const url = server.url.replace('http://', 'http://me:s%20cret@');
  expect(await postJson(`${url}/hook/x?y=1`, { text: 'ä' }, { headers: { 'x-tenant': 'mine' }, signal })).toBe(202);
  expect(server.received).toMatchObject([
    {
      method: 'POST',
      url: '/hook/x?y=1',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${Buffer.from('me:s cret').toString('base64')}`,
        'x-tenant': 'mine',
      },
    },
  ]);
});

test.each([300, 307])('a redirect (%i) is not followed', async (status) => {
  const server = await localServer((response) => response.writeHead(status, { location: '/elsewhere' }).end());
  const failed = await postJson(server.url, {}, { signal }).catch(messageOf);
  expect([failed, server.received.length]).toEqual([`it redirects (${status}), which is not followed`, 1]);
});
