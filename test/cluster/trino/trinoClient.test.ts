import { createServer } from 'node:http';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { createTrinoClient } from '../../../src/cluster/trino/trinoClient.ts';
import { listening } from '../../listening.ts';
import { type Played, playedTrino } from './playedTrino.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** A client and the server that plays to it. */
async function played(...answers: readonly Played[]) {
  const server = await playedTrino(answers);
  const client = createTrinoClient({ url: server.url, user: 'ada', password: 'x:y', catalog: 'lake' });
  open.push(client, server);
  return { client, server };
}

const queued = { json: '{"id":"q1","nextUri":"{url}/v1/statement/queued/q1/y/1","stats":{"state":"QUEUED"}}' };
const column = (name: string, rawType: string, inner = '') =>
  `{"name":"${name}","type":"${rawType}","typeSignature":{"rawType":"${rawType}","arguments":[${inner}]}}`;
const columns = `"columns":[${[
  column('b', 'bigint'),
  column('d', 'decimal'),
  column('e', 'double'),
  column('i', 'integer'),
  column('t', 'timestamp'),
  column('v', 'varbinary'),
  column('l', 'array', '{"kind":"TYPE","value":{"rawType":"bigint","arguments":[]}}'),
  column('z', 'varchar'),
].join(',')}]`;
const data =
  '[[9007199254740993,"12345678901234567890123456789012345678",1.0E-3,7,"2026-01-01 00:00:00.123456","AP8=",[1,null],null]]';
const row = {
  b: 9007199254740993n,
  d: '12345678901234567890123456789012345678',
  e: 0.001,
  i: 7,
  t: '2026-01-01 00:00:00.123456',
  v: Buffer.from([0, 255]),
  l: [1n, null],
  z: null,
};

test('rows of many pages come without losing a digit', async () => {
  const { client, server } = await played(
    queued,
    { json: `{"id":"q1",${columns},"data":${data},"nextUri":"{url}/v1/statement/executing/q1/x/1"}` },
    { json: `{"id":"q1",${columns},"data":${data}}` },
  );
  expect(await client.run('SELECT 1', { retry_policy: 'TASK', 'stage.size': 'a b' })).toEqual({
    query: 'q1',
    rows: [row, row],
    types: expect.objectContaining({ b: 'bigint', l: 'array' }),
    written: 0,
  });
  expect(server.heard[0]).toMatchObject({ method: 'POST', path: '/v1/statement', body: 'SELECT 1' });
  expect(server.heard[0]?.headers).toMatchObject({
    'x-trino-user': 'ada',
    'x-trino-catalog': 'lake',
    'x-trino-session': 'retry_policy=TASK,stage.size=a%20b',
    authorization: `Basic ${Buffer.from('ada:x:y').toString('base64')}`,
  });
});

test('so do rows that lie beside the answer', async () => {
  const inline = Buffer.from(data).toString('base64');
  const { client, server } = await played(
    {
      json: `{"id":"q1",${columns},"data":{"encoding":"json","segments":[{"type":"inline","data":"${inline}","metadata":{}},{"type":"spooled","uri":"{url}/segments/1","ackUri":"{url}/ack/1","headers":{"x-part":["7"]}}]}}`,
    },
    { json: data },
    { status: 200 },
  );
  expect((await client.run('SELECT 1')).rows).toEqual([row, row]);
  expect(server.heard[1]).toMatchObject({ path: '/segments/1', headers: { 'x-part': '7' } });
  // What is signed for the storage must not carry the password.
  expect(server.heard[1]?.headers).not.toHaveProperty('authorization');
  expect(server.heard[2]?.path).toBe('/ack/1');
});

test('a storage that refuses rows, whose address is valid for some time only, says nothing of the user', async () => {
  const segments = '[{"type":"spooled","uri":"{url}/segments/1"}]';
  const beside = { json: `{"id":"q1",${columns},"data":{"encoding":"json","segments":${segments}}}` };
  const { client } = await played(beside, { status: 403, text: 'Request has expired' });
  await expect(client.run('SELECT 1')).rejects.toMatchObject({
    code: 'unavailable',
    context: { reason: 'outcome_unknown' },
    message: expect.stringContaining('403 Request has expired'),
  });
});

test('rows written are counted', async () => {
  const { client } = await played({ json: '{"id":"q1","updateType":"MERGE","updateCount":12}' });
  expect((await client.run('MERGE')).written).toBe(12);
});

test('so are those of which the last page says nothing', async () => {
  const { client } = await played(
    { json: '{"id":"q1","updateCount":12,"nextUri":"{url}/v1/statement/executing/q1/x/1"}' },
    { json: '{"id":"q1"}' },
  );
  expect((await client.run('MERGE')).written).toBe(12);
});

test('a statement is sent again to a coordinator that did not listen yet', async () => {
  const { server } = await played();
  const { url } = server;
  await server.close();
  const client = createTrinoClient({ url, user: 'ada', catalog: 'lake' });
  open.splice(0, 2, client);
  const later = createServer((_, response) => void response.end('{"id":"q1","updateCount":1}'));
  setTimeout(() => later.listen(Number(new URL(url).port), '127.0.0.1'), 100);
  onTestFinished(() => void later.close());
  expect((await client.run('MERGE')).written).toBe(1);
});

test('an error says what failed and where', async () => {
  const { client } = await played(queued, {
    json: '{"id":"q1","error":{"message":"line 2:8: Column \'x\' cannot be resolved","errorName":"COLUMN_NOT_FOUND","errorType":"USER_ERROR","errorLocation":{"lineNumber":2,"columnNumber":8}}}',
  });
  await expect(client.run('SELECT\n  1, x')).rejects.toMatchObject({
    code: 'failed',
    retryable: false,
    message: "Trino's query q1 failed: Column 'x' cannot be resolved, line 2, column 8 (1, x) [COLUMN_NOT_FOUND].",
  });
});

test.each([
  ['another commit that was first', 'Failed to commit', 'ICEBERG_COMMIT_ERROR'],
  [
    'another table of the name that was first',
    'ERROR: duplicate key value violates unique constraint',
    'GENERIC_INTERNAL_ERROR',
  ],
  // A put whose answer was lost is refused when it is sent again, since the file is there.
  ['a lost answer', 'Error committing write parquet to Hive', 'HIVE_WRITER_CLOSE_ERROR'],
  ['the start of a catalog', 'Cannot check and eventually update SQL schema', 'GENERIC_INTERNAL_ERROR'],
  [
    'a connection to the database of the catalog that was lost',
    'Cannot cast org.postgresql.util.PSQLException to java.sql.SQLTransientException',
    'GENERIC_INTERNAL_ERROR',
  ],
  [
    'a bucket that refuses metadata',
    'Failed to write json to file: s3://lake/1.metadata.json',
    'GENERIC_INTERNAL_ERROR',
  ],
  ['another schema of the name that was first', 'Failed to create a namespace lake_raw', 'ICEBERG_CATALOG_ERROR'],
  [
    'a database of the catalog that is down',
    'org.postgresql.util.PSQLException: Connection to 127.0.0.1:5432 refused. Check that the hostname and port are correct',
    'GENERIC_INTERNAL_ERROR',
  ],
])('%s is worth another try', async (_, message, errorName) => {
  const { client } = await played({
    json: JSON.stringify({ id: 'q1', error: { message, errorName, errorType: 'EXTERNAL' } }),
  });
  await expect(client.run('MERGE')).rejects.toMatchObject({ code: 'unavailable', retryable: true });
});

test('a busy server is asked again, and so is the page of an answer that broke', async () => {
  const { client, server } = await played({ status: 503 }, queued, 'break', { status: 502 }, { json: '{"id":"q1"}' });
  expect((await client.run('SELECT 1')).rows).toEqual([]);
  expect(server.heard.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET', 'GET', 'GET']);
});

test('a statement whose answer broke is not sent again: nobody knows whether it runs', async () => {
  const { client, server } = await played('break', queued);
  await expect(client.run('INSERT')).rejects.toMatchObject({
    code: 'unavailable',
    retryable: true,
    context: { reason: 'outcome_unknown' },
  });
  expect(server.heard).toHaveLength(1);
});

test.each([502, 504])('nor is one of which a gateway says %s: it may run behind it', async (status) => {
  const { client, server } = await played({ status }, queued);
  await expect(client.run('INSERT')).rejects.toMatchObject({ context: { reason: 'outcome_unknown' } });
  expect(server.heard).toHaveLength(1);
});

test.each([
  ['of a statement', []],
  ['of a query', [queued]],
] as const)('a page of a proxy in place of an answer %s is told as one', async (_, before) => {
  const { client } = await played(...before, { status: 200, text: '<html>Down for maintenance</html>' });
  await expect(client.run('SELECT 1')).rejects.toMatchObject({
    code: 'contract',
    message: expect.stringContaining('did not answer as a Trino: "<html>Down'),
  });
});

test('where both ends do not agree on TLS no statement was sent', async () => {
  const { server } = await played();
  const client = createTrinoClient({ url: server.url.replace('http', 'https'), user: 'ada', catalog: 'lake' });
  open.push(client);
  const error = await client.run('SELECT 1').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/took no statement: .*SSL.*correct engine\.trino/is),
  });
});

test('a coordinator that began anew knows nothing of the query', async () => {
  const { client } = await played(queued, { status: 404, text: 'Query not found' });
  await expect(client.run('INSERT')).rejects.toMatchObject({ context: { reason: 'outcome_unknown', query: 'q1' } });
});

test.each([
  [401, 'unauthorized', false],
  [404, 'unavailable', true],
])('%s is final', async (status, code, retryable) => {
  const { client, server } = await played({ status, text: 'no' });
  await expect(client.run('SELECT 1')).rejects.toMatchObject({ code, retryable });
  expect(server.heard).toHaveLength(1);
});

test.each<[string, Played[]]>([
  ['has no answer yet', ['wait']],
  ['is to be sent again', Array.from({ length: 7 }, () => ({ status: 503 }))],
])('a query that nobody waits for any more is ended, where a request %s', async (_, answers) => {
  const stop = new AbortController();
  const server = await playedTrino([queued, ...answers]);
  const client = createTrinoClient({ url: server.url, user: 'ada', catalog: 'lake', signal: stop.signal });
  open.push(client, server);
  const running = client.run('SELECT 1');
  while (server.heard.length < Math.min(5, 1 + answers.length)) await new Promise((resolve) => setTimeout(resolve, 20));
  stop.abort('SIGTERM');
  await expect(running).rejects.toMatchObject({ code: 'interrupted', context: { signal: 'SIGTERM' } });
  expect(server.heard.at(-1)).toMatchObject({ method: 'DELETE', path: '/v1/statement/queued/q1/y/1' });
});

test('what is said to the end of a query keeps no connection', async () => {
  const server = createServer((request, response) => {
    if (request.method === 'DELETE') return void response.writeHead(502).end('x'.repeat(1_000_000));
    const next = JSON.stringify({ id: 'q', nextUri: `${url}/next` });
    response.end(request.method === 'POST' ? next : 'a page of a proxy');
  });
  const { url, close } = await listening(server);
  onTestFinished(close);
  const client = createTrinoClient({ url, user: 'firn', catalog: 'lake' });
  await expect(client.run('SELECT 1')).rejects.toMatchObject({ code: 'contract' });
  await client.close();
});
