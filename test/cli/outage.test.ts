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
const of = (url: string, streams: object = node) => ({ sources: { node: { url } }, pipelines: { main: { streams } } });

interface Status {
  readonly health: { readonly findings: readonly { readonly sentence: string }[] };
}

test.each([
  ['at the very first', false],
  ['later', true],
])('a node that is down %s makes the check fail until it is back and a run has ended well', async (_, wasUp) => {
  const { firn, configure } = await project(of(net.url), { isBuilt: true });
  if (wasUp) expect((await firn('run')).code).toBe(0);
  await configure(of('http://127.0.0.1:1'));
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
  await configure(of(net.url));
  setClock();
  expect((await firn('run')).code).toBe(0);
  expect((await firn('status', '--check')).code).toBe(0);
});

test('a chain that nobody wants any more is not red for ever', async () => {
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

test('a node that is bootstrapping: sync, plan and doctor say so and end with 75, and then nothing is missing', async () => {
  onTestFinished(() => net.configure({ without: [] }));
  net.configure({ without: ['bootstrap'] });
  const { firn } = await project(of(net.url), { isBuilt: true });
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

test('a Retry-After outlives the run that met it, also one that is killed', async () => {
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
    expect(out).toMatch(/asks for no requests for 3\d\d\d s.*Run again after \d{4}-/s);
  }
  expect(asked).toBe(before);
});

test('a server that takes connections and says nothing is not one that is down', async () => {
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
