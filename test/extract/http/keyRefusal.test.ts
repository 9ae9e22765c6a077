import { expect, test } from 'vitest';
import { against, failing } from '../against.ts';
import { json } from '../localServer.ts';

const body = { message: 'Invalid API key' };

test('a server that refuses everything is asked ten times a minute', async () => {
  const { http, server, clock } = await against((response) => json(response, 401, body));
  const errors = [];
  for (let i = 0; i < 15; i += 1) errors.push(await failing(http.get(`/${i}`)));
  expect(errors.map(({ code }) => code)).toEqual(Array(15).fill('unauthorized'));
  expect(errors.at(-1)?.message).toMatch(/\/9 answered 401 Unauthorized: "Invalid API key". Check the key/);
  expect(server.received).toHaveLength(10);
  clock.advance(60_000);
  await failing(http.get('/again'));
  expect(server.received).toHaveLength(11);
});

test('a server that refuses one chain (403) is still asked about another', async () => {
  const { http, server } = await against((response, _, { url }) =>
    json(response, url === '/b/given' ? 200 : 403, body),
  );
  const address = 'a'.repeat(40);
  for (let i = 0; i < 15; i += 1) await failing(http.get(`/a/${address}${i}`));
  expect(server.received).toHaveLength(10);
  await failing(http.get('/c'));
  await http.get('/b/given');
  expect(server.received).toHaveLength(12);
});

test('refusals of a server that gives other things end no request but their own', async () => {
  const { http } = await against((response, _, { url }) => json(response, url === '/given' ? 200 : 401, body));
  await http.get('/given');
  for (let i = 0; i < 15; i += 1) expect((await failing(http.get(`/${i}`))).message).toContain(`/${i} answered`);
  await http.get('/given');
});
