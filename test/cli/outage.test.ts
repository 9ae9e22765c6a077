import { renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { type Devnet, startDevnet } from 'firn-devnet';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { json, localServer } from '../extract/localServer.ts';
import { some } from '../some.ts';
import { withoutWaiting } from '../withoutWaiting.ts';
import { project } from './cliHarness.ts';

vi.setConfig({ testTimeout: 240_000 });
const setClock = withoutWaiting();

let net: Devnet;
beforeAll(async () => {
  net = await startDevnet({ head: '2%' });
  return () => net.close();
});

const node = {
  'node/containers': { indexes: ['C/block', 'P/block'], decode: false },
  'node/evm_blocks': { blockchainIds: ['C'], traces: false },
  'node/platform_validators': {},
};
const validators = { 'node/containers': { indexes: ['C/block'], decode: false }, 'node/platform_validators': {} };
const of = (url: string, streams: object = node) => ({ sources: { node: { url } }, pipelines: { main: { streams } } });

interface Status {
  readonly health: { readonly findings: readonly { readonly sentence: string }[] };
  readonly streams: readonly { readonly stream: string; readonly lastRead: string | null }[];
}

/** The node behind a proxy that has nothing at some paths. */
async function withoutPaths(...paths: readonly string[]): Promise<string> {
  const { url } = await localServer(async (response, _, { url: path, body }) => {
    if (paths.includes(path)) return void response.writeHead(404).end('404 page not found');
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${net.url}${path}`, { method: 'POST', headers, body });
    response.writeHead(answer.status, headers).end(await answer.text());
  });
  return url;
}

test.each([
  ['at the very first', false],
  ['later', true],
])(
  'a node that is down %s makes the check fail until it is back and a run has ended well',
  { tags: 'long' },
  async (_, wasUp) => {
    const { firn, configure } = await project(of(net.url, validators), { isBuilt: true });
    if (wasUp) expect((await firn('run')).code).toBe(0);
    await configure(of('http://127.0.0.1:1', validators));
    const down = await firn('run');
    expect(down.code).toBe(75);
    // Nothing answers: one line of the progress says so beside the log, and one of the summary.
    const progress = down.err.split('\n').filter((line) => !line.startsWith('{'));
    expect(progress.filter((line) => /nothing answers/.test(line))).toHaveLength(1);
    expect(down.out.match(/nothing answers/g)).toHaveLength(1);
    const red = await firn('status', '--check');
    expect(red.code).not.toBe(0);
    for (const { sentence } of some(((await firn('--json', 'status')).json as Status).health.findings))
      expect(sentence).toMatch(/"firn run"/);
    await configure(of(net.url, validators));
    setClock();
    expect((await firn('run')).code).toBe(0);
    expect((await firn('status', '--check')).code).toBe(0);
  },
);

test('a sync alone whose warehouse was moved meanwhile does not end well: the next one would begin anew', {
  tags: 'long',
}, async () => {
  let move = () => {};
  const { url } = await localServer(async (response, _, { url: path, body }) => {
    move();
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${net.url}${path}`, { method: 'POST', headers, body });
    response.writeHead(answer.status, headers).end(await answer.text());
  });
  const { firn, warehouse, query } = await project(of(url, validators));
  move = () => {
    renameSync(warehouse, `${warehouse}-moved`);
    move = () => {};
  };
  const { code, out } = await firn('sync');
  expect([code, out]).toEqual([73, expect.stringMatching(/warehouse is not there any more.* it was moved/)]);
  // What was read is in the moved one.
  await rm(warehouse, { recursive: true });
  renameSync(`${warehouse}-moved`, warehouse);
  expect(await query('SELECT count(*) > 0 AS "are" FROM raw.node_containers')).toEqual([{ are: true }]);
});

test('what a node offers no more is a failure until it is back, and was not read in the meantime', {
  tags: 'long',
}, async () => {
  const { firn, configure } = await project(of(net.url), { isBuilt: true });
  const first = await firn('--json', 'run');
  expect(first.code).toBe(0);
  const lastReads = async () => {
    const { streams } = (await firn('--json', 'status')).json as Status;
    return Object.fromEntries(streams.map(({ stream, lastRead }) => [stream, lastRead]));
  };
  const before = await lastReads();
  // Not when the run ended, which built and published since.
  const endedAt = (of: object) =>
    (first.json.partitions as { endedAt: string }[]).find((one) => expect.objectContaining(of).asymmetricMatch(one))
      ?.endedAt;
  expect(before['node/platform_validators']).toBe(endedAt({ stream: 'node/platform_validators' }));
  await configure(of(await withoutPaths('/ext/bc/C/rpc', '/ext/index/P/block')));
  const { code, out } = await firn('run');
  expect(code).toBe(75);
  expect(out).not.toMatch(/not offered$/m);
  expect(out).toMatch(
    /node\/containers \(index_name=P\/block\): This was read until .* UTC and is not offered any more: .*\/P\/block answered 404/,
  );
  expect(out).toMatch(/node\/evm_blocks \(chain_id=43112\): This was read until .*\/C\/rpc answered 404/);
  expect((await firn('status', '--check')).code).not.toBe(0);
  expect((await firn('status')).out).toMatch(/node\/containers +1 failed/);
  const plan = await firn('plan');
  expect(plan.code).toBe(75);
  expect(plan.out).toMatch(
    /node\/containers \(index_name=P\/block\): This was read until .* UTC and is not offered any more/,
  );
  const doctor = await firn('doctor');
  expect(doctor.code).toBe(75);
  expect(doctor.out).toMatch(/fail +node\/containers P\/block +This was read before and is not offered any more/);
  expect(doctor.out).toMatch(/fail +node chain C +This was read before and is not offered any more/);
  const after = await lastReads();
  expect(after).toMatchObject({
    // The oldest of its partitions.
    'node/containers': endedAt({ partition: 'index_name=P/block' }),
    'node/evm_blocks': before['node/evm_blocks'],
  });
  expect(after['node/platform_validators']).not.toBe(before['node/platform_validators']);
  await configure(of(net.url));
  expect((await firn('run')).code).toBe(0);
  expect((await firn('status', '--check')).code).toBe(0);
});

test('what a node never offered is no failure, and is not told as read', { tags: 'long' }, async () => {
  const { firn } = await project(of(await withoutPaths('/ext/index/P/block')), { isBuilt: true });
  expect((await firn('run')).code).toBe(0);
  expect((await firn('status', '--check')).code).toBe(0);
  expect((await firn('doctor')).code).toBe(0);
  // The word of a stream is that of its worst partition; the others of it were read.
  expect((await firn('status')).out).toMatch(/node\/containers +1 not offered .* \d\d:\d\d:\d\d *$/m);
});

test('a chain that nobody wants any more is not red for ever', { tags: 'long' }, async () => {
  const unknown = '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm';
  const { firn, configure } = await project(
    of(net.url, { 'node/evm_blocks': { blockchainIds: ['C', unknown], traces: false } }),
    { isBuilt: true },
  );
  expect((await firn('run')).code).toBe(2);
  expect((await firn('status', '--check')).code).not.toBe(0);
  await configure(of(net.url, { 'node/evm_blocks': { blockchainIds: ['C'], traces: false } }));
  expect((await firn('run')).code).toBe(0);
  expect((await firn('status', '--check')).code).toBe(0);
});

test('a node that is bootstrapping: sync, plan and doctor say so and end with 75, and then nothing is missing', {
  tags: 'long',
}, async () => {
  onTestFinished(() => net.configure({ without: [] }));
  net.configure({ without: ['bootstrap'] });
  const { firn } = await project(of(net.url, validators), { isBuilt: true });
  for (const command of ['run', 'plan', 'doctor']) {
    const { code, out } = await firn(command);
    expect([command, code]).toEqual([command, 75]);
    expect(out).toMatch(/still bootstrapping its chain C/);
    expect(out).not.toMatch(/not offered/);
  }
  expect((await firn('status')).out).toMatch(/still bootstrapping its chain [CP]/);
  expect((await firn('status', '--check')).code).not.toBe(0);
  net.configure({ without: [] });
  expect((await firn('run')).code).toBe(0);
  expect((await firn('status', '--check')).code).toBe(0);
});

test('a Retry-After outlives the run that met it, also one that is killed', { tags: 'long' }, async () => {
  let asked = 0;
  const { url } = await localServer((response) => {
    asked += 1;
    json(response, 429, {}, { 'retry-after': '3600' });
  });
  const streams = { 'data/chains': {} };
  const { firn } = await project({ sources: { data: { url } }, pipelines: { main: { streams } } });
  expect((await firn('sync')).code).toBe(75);
  const before = asked;
  for (const command of ['sync', 'plan', 'doctor']) {
    const { code, out } = await firn(command);
    expect([command, code]).toEqual([command, 75]);
    expect(out).toMatch(/asks for no requests until \d{4}-.*Run again after that/s);
  }
  expect(asked).toBe(before);
});

test('a server that takes connections and says nothing is not one that is down', { tags: 'long' }, async () => {
  const sockets = createServer(() => {}).listen(0, '127.0.0.1');
  onTestFinished(() => void sockets.close());
  await new Promise((resolve) => sockets.once('listening', resolve));
  const { port } = sockets.address() as { port: number };
  const { firn } = await project({
    ...of(`http://127.0.0.1:${port}`, { 'node/platform_validators': {} }),
    sources: { node: { url: `http://127.0.0.1:${port}`, timeouts: { headers: 50 } } },
  });
  const { code, out } = await firn('sync', '--max-time', '2s');
  expect([code === 75 || code === 0, out]).toEqual([true, expect.not.stringMatching(/nothing answers/)]);
});
