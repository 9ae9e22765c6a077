import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Devnet, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Project, project } from './cliHarness.ts';
import { startFirn } from './firnProcess.ts';
import { type WatchServer, watchServer } from './watchServer.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet({ head: '5%' });
});
afterAll(() => devnet.close());

interface Place extends Project {
  readonly service: WatchServer;
}

/** A project that reads the chains of a data service, which can be made to go wrong. */
async function place(): Promise<Place> {
  const service = await watchServer(() => devnet.url);
  const made = await project(
    {
      sources: { data: { url: service.url, network: 'fuji' } },
      pipelines: { main: { streams: { 'data/chains': {} } } },
    },
    { isBuilt: true },
  );
  return { ...made, service };
}

/** Every chain comes in a form that no schema takes, and never the same twice. */
function spoil({ service }: Place): void {
  let answers = 0;
  service.meddle = async (_, response, pass) => {
    const { status, headers, body } = await pass();
    const answer = JSON.parse(body.toString('utf8')) as { chains: Record<string, unknown>[] };
    answers++;
    for (const chain of answer.chains) Object.assign(chain, { isTestnet: 'perhaps', description: `answer ${answers}` });
    delete headers['content-length'];
    response.writeHead(status, headers).end(JSON.stringify(answer));
    return true;
  };
}

function refuse({ service }: Place): void {
  service.meddle = (_, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"unauthorized"}');
    return true;
  };
}

const check = async ({ firn }: Project, ...options: string[]) => {
  const { code, json } = await firn('--json', 'status', '--check', ...options);
  return { code, json, kinds: json.health.findings.map(({ kind }: { kind: string }) => kind) as string[] };
};

/** Samples of the textfile, by name and labels. */
async function samples({ firn }: Project): Promise<Map<string, number>> {
  const { out } = await firn('status', '--prometheus', '-');
  const lines = out.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

const published = ({ query }: Project) =>
  query<{ exit_code: number }>('SELECT exit_code FROM firn.run ORDER BY started_at');

describe('records in quarantine', () => {
  test('keep every run at 4, each as one entry, until they are accepted; reopened, they count again', {
    tags: 'long',
  }, async () => {
    const of = await place();
    spoil(of);
    expect((await of.firn('run')).code).toBe(4);
    const [first] = await of.query<{ n: bigint }>('SELECT count(*) AS n FROM firn.quarantine');
    const records = Number(first?.n);
    expect(records).toBeGreaterThan(0);
    const second = await of.firn('sync');
    expect(second.code).toBe(4);
    expect(second.out).toMatch(
      new RegExp(`${records} records? could not be read and (is|are) in quarantine: "firn quarantine" lists them`),
    );
    expect(second.out).toMatch(
      /- data\/chains \(network=fuji\): \d+ records? \(first \d{4}-.* UTC, \d+ times in all\): isTestnet: /,
    );
    expect(await of.query('SELECT count(*) AS n, min(times_seen) AS times FROM firn.quarantine')).toEqual([
      { n: BigInt(records), times: 2n },
    ]);
    // A run of something else ends with 4, too: the records are still there.
    expect((await of.firn('build')).code).toBe(4);

    const held = await check(of);
    expect([held.code, held.kinds]).toEqual([4, ['quarantined']]);
    expect(held.json.unresolved).toMatchObject({
      records,
      groups: [{ stream: 'data/chains', partition: 'network=fuji', records, times: 2 * records }],
    });
    expect((await of.firn('status')).out).toMatch(/^data\/chains +network=fuji +\d+ +\d+ +\d{4}-.*isTestnet/m);
    const group = [...(await samples(of))].find(([name]) => name.startsWith('firn_quarantine_records{'));
    expect(group).toEqual([
      expect.stringMatching(/stream="data\/chains",partition="network=fuji",reason="isTestnet: /),
      records,
    ]);
    const page = join(of.folder, 'report.html');
    await of.firn('report', '--out', page);
    expect(await readFile(page, 'utf8')).toContain('in quarantine');

    expect(await of.firn('quarantine', 'accept', '--all')).toMatchObject({ code: 2 });
    expect((await of.firn('quarantine', 'accept', '--all', '--reason', ' ')).code).toBe(2);
    expect((await of.firn('quarantine', 'accept', 'first', '--reason', 'x')).code).toBe(2);
    expect((await of.firn('quarantine', 'accept', '999', '--reason', 'x')).code).toBe(1);
    const accepted = await of.firn('quarantine', 'accept', '--all', '--reason', 'the service says so');
    expect(accepted).toMatchObject({ code: 0, out: expect.stringMatching(/accepted\. Nothing is unresolved\./) });
    // At once, before anything is published again, and when the records come again.
    expect((await check(of)).code).toBe(0);
    expect((await of.firn('run')).code).toBe(0);
    expect((await check(of)).code).toBe(0);
    expect((await samples(of)).get('firn_quarantine_accepted_records')).toBe(records);
    expect((await of.firn('--json', 'quarantine')).json).toEqual({ records: [], more: false });
    const [entry] = (await of.firn('--json', 'quarantine', 'list', '--accepted')).json.records;
    expect(entry).toMatchObject({
      timesSeen: 3,
      acceptedBecause: 'the service says so',
      acceptedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });

    expect((await of.firn('quarantine', 'reopen', String(entry.id))).code).toBe(0);
    expect((await check(of)).code).toBe(4);
    // The service comes right: what it sends now resolves them.
    of.service.meddle = undefined;
    expect((await of.firn('sync')).code).toBe(0);
    expect((await check(of)).code).toBe(0);
    expect(await of.query('SELECT count(*) AS n FROM firn.quarantine WHERE replayed_at IS NULL')).toEqual([{ n: 0n }]);
  });
});

test('rows that were read and not published are told: no table shows them', { tags: 'long' }, async () => {
  const of = await place();
  const status = async () => (await of.firn('status')).out;
  expect((await of.firn('sync')).code).toBe(0);
  expect(await status()).toMatch(/^nothing is published yet\n\d+ rows? read, which readers see after "firn run"/);
  expect(await status()).toMatch(/^data\/chains +up to date +0 +\d{4}-/m);
  expect((await of.firn('run')).code).toBe(0);
  expect(await status()).not.toContain('which readers see');
});

describe('a run that could read nothing', () => {
  test('before anything was published: says so, publishes nothing, and status and report tell of it', async () => {
    const of = await place();
    refuse(of);
    const run = await of.firn('run');
    expect(run.code).toBe(77);
    expect(run.out).toContain('Nothing could be read, so nothing was built or published');
    expect(existsSync(join(of.warehouse, 'analytics.duckdb'))).toBe(false);
    const { code, json } = await check(of);
    // The run ended with 77, and so did its partition.
    expect(code).toBe(77);
    expect(json).toMatchObject({ published: null, lastPublishedAt: null });
    expect((await of.firn('status')).out).toMatch(/nothing was published yet, though 1 run should have$/m);
    expect((await of.firn('report', '--out', '-')).out).toContain('Nothing was published yet');
    expect((await samples(of)).get('firn_unpublished_runs')).toBe(1);
  });

  test('after a publish: readers keep what they have, and status says for how long and why', {
    tags: 'long',
  }, async () => {
    const of = await place();
    expect((await of.firn('run')).code).toBe(0);
    expect((await check(of)).code).toBe(0);
    refuse(of);
    for (let run = 0; run < 2; run++) expect((await of.firn('run')).code).toBe(77);
    expect((await published(of)).map(({ exit_code }) => exit_code)).toEqual([0, 77, 77]);
    const { code, json } = await check(of);
    expect([code, json.published.version]).toEqual([77, 1]);
    expect(json.health.findings[0].exitCode).toBe(77);
    expect(json.health.findings[0].sentence).toMatch(
      /ended with 77 \(not authorised\) and published nothing: Nothing could be read/,
    );
    expect((await of.firn('status')).out).toMatch(/^nothing was published for .+, though 2 runs should have$/m);
    const text = await samples(of);
    expect([text.get('firn_unpublished_runs'), text.get('firn_health_exit_code')]).toEqual([2, 77]);
    expect(text.get('firn_pipeline_last_run_exit_code{pipeline="main"}')).toBe(77);
    of.service.meddle = undefined;
    expect((await of.firn('run')).code).toBe(0);
    expect((await check(of)).code).toBe(0);
    expect((await samples(of)).get('firn_unpublished_runs')).toBe(0);
  });
});

test('a state that was lost is not published over what readers have, until a run has read everything again', {
  tags: 'long',
}, async () => {
  const of = await place();
  expect((await of.firn('run')).code).toBe(0);
  // An intact state is published as ever.
  expect((await of.firn('publish', '--repair')).code).toBe(0);
  await rm(join(of.warehouse, '.state'), { recursive: true });
  expect(await of.firn('build')).toMatchObject({ code: 1, out: expect.stringContaining('was lost') });
  expect((await of.firn('status', '--check')).code).toBe(1);
  const { code, out } = await of.firn('publish');
  expect(code).toBe(1);
  expect(out).toMatch(/was lost: .* version 1 shows \d+ rows .* Restore \.state from a backup, or run "firn run"/);
  expect((await of.firn('--json', 'status')).json.published.version).toBe(1);
  expect((await of.firn('sync')).code).toBe(0);
  expect((await of.firn('publish')).code).toBe(0);
});

test('a copy of what was published, without a state, is whole; where a state was, it is lost', {
  tags: 'long',
}, async () => {
  const of = await place();
  expect((await of.firn('run')).code).toBe(0);
  await rm(join(of.warehouse, '.state'), { recursive: true });
  const copy = await of.firn('verify');
  expect([copy.code, copy.out]).toEqual([0, expect.stringMatching(/^Version \d+ is whole: /)]);
  expect(copy.err).toMatch(/was lost: .* If this is a copy of what was published, there to be read, nothing is wrong/);
  await mkdir(join(of.warehouse, '.state', 'runs'), { recursive: true });
  const lost = await of.firn('verify');
  expect([lost.code, lost.out]).toEqual([3, expect.stringContaining('the file is missing')]);
  expect((await of.firn('status')).out).toMatch(/was lost: .* reads everything again\.\n/);
});

test('a relation that is held back is told, with the exit code of a mismatch', { tags: 'long' }, async () => {
  const of = await place();
  expect((await of.firn('run')).code).toBe(0);
  await of.query(
    `CREATE TABLE IF NOT EXISTS firn.held_back (relation VARCHAR, audit VARCHAR, since TIMESTAMP, reason VARCHAR)`,
  );
  await of.query(`INSERT INTO firn.held_back VALUES ('mart.fct_block', 'assert_x', TIMESTAMP '2026-01-01', '2 rows')`);
  // Any command that opens the state notes what is in it.
  await of.firn('state');
  const { code, kinds } = await check(of);
  expect([code, kinds]).toEqual([3, ['mismatch']]);
  expect((await samples(of)).get('firn_held_back{relation="mart.fct_block",audit="assert_x"}')).toBe(1);
  expect((await of.firn('report', '--out', '-')).out).toContain('mart.fct_block');
});

describe('while a run goes on', () => {
  /** A first run that hangs in its first answer. */
  async function hanging(): Promise<{ of: Place; run: ReturnType<typeof startFirn> }> {
    const of = await place();
    of.service.meddle = () => true;
    const run = startFirn(['--config', join(of.folder, 'firn.yaml'), 'run']);
    onTestFinished(async () => {
      run.child.kill('SIGKILL');
      await run.ended;
    });
    await vi.waitUntil(() => of.service.seen.length > 0, { timeout: 60_000 });
    // A run writes down once a second how far it is.
    const note = join(of.warehouse, '.state', 'run.json');
    while (!/"reading":\[\{/.test(await readFile(note, 'utf8'))) await delay(50);
    return { of, run };
  }

  test('the first one: status, report, textfile and serve say who holds the warehouse and how far it is, and once it is killed that it failed', {
    tags: 'long',
  }, async () => {
    const { of, run } = await hanging();
    const { code, json } = await check(of);
    expect(code).toBe(0);
    expect(json.running).toMatchObject({
      command: 'run',
      phase: 'sync',
      pid: run.child.pid,
      host: hostname(),
      partitions: { done: 0, total: 1 },
      reading: [{ stream: 'data/chains', partition: 'network=fuji', done: 0 }],
    });
    const { out } = await of.firn('status');
    expect(out).toContain(`run is running (process ${run.child.pid} on ${hostname()}, sync, since `);
    expect(out).toMatch(/, since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, .+ so far\)\./);
    expect(out).toContain('- data/chains (network=fuji): 0 so far');
    expect((await of.firn('report', '--out', '-')).out).toMatch(/<b>run<\/b> is running/);
    expect((await samples(of)).get('firn_running_partitions{state="all"}')).toBe(1);
    const serving = startFirn(['--config', join(of.folder, 'firn.yaml'), 'serve', '--port', '0']);
    const url = await vi.waitUntil(() => /http:\/\/127\.0\.0\.1:\d+/.exec(serving.written.stdout)?.[0], {
      timeout: 60_000,
    });
    const answer = await fetch(`${url}/metrics`);
    expect([answer.status, (await answer.text()).includes('\nfirn_running 1\n')]).toEqual([200, true]);
    serving.child.kill('SIGTERM');
    await serving.ended;
    run.child.kill('SIGKILL');
    await run.ended;
    const killed = await check(of);
    expect([killed.code, killed.json.health.findings[0].sentence]).toEqual([
      1,
      expect.stringContaining('it was killed'),
    ]);
  });

  test('another one is locked out, which is told as long as nothing came of the first; the next one makes all well', {
    tags: 'long',
  }, async () => {
    const { of, run } = await hanging();
    expect((await of.firn('run')).code).toBe(75);
    const { code, json } = await check(of);
    expect(code).toBe(75);
    expect(json.health.findings[0].sentence).toContain(`is in use by process ${run.child.pid}`);
    run.child.kill('SIGKILL');
    await run.ended;
    const killed = await check(of);
    expect([killed.json.running, killed.json.runs[1].exitCode]).toEqual([null, null]);
    of.service.meddle = undefined;
    expect((await of.firn('run')).code).toBe(0);
    expect((await check(of)).code).toBe(0);
  });
});

test('files that are damaged are left out, and the next run writes them again', { tags: 'long' }, async () => {
  const of = await place();
  spoil(of);
  expect((await of.firn('run')).code).toBe(4);
  const state = join(of.warehouse, '.state');
  const [record = ''] = await readdir(join(state, 'runs'));
  for (const text of ['', '{', '{"format":1}', '[]', 'null', '\u0000']) {
    for (const file of ['run.json', 'unresolved.json', 'dropped.json', join('runs', record)])
      await writeFile(join(state, file), text);
    // What was published says the same.
    expect((await check(of)).code).toBe(4);
  }
  expect((await of.firn('sync')).code).toBe(4);
  expect((await check(of)).json.runs).toHaveLength(2);
});
