/** @module-tag long */
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { type Ledger, readLedger } from 'firn-devnet';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { demoCommand } from '../../src/cli/commands/demo.ts';
import { demoMark, keptMark } from '../../src/cli/tasks/demoConfig.ts';
import { type Console, createConsole } from '../../src/cli/terminal/console.ts';
import { ownProcess } from '../../src/load/state/processFacts.ts';
import { readCurrent } from '../../src/publish/manifest.ts';
import { openReader, type Reader } from '../../src/publish/reader/openReader.ts';
import { verifyWhole } from '../publish/verify/verifyWhole.ts';
import { blockIdsOf, expectedMetrics, hashesOf, heightsAndIds, ownMetrics, type Query } from '../run/ledgerFacts.ts';
import { some } from '../some.ts';
import { temporary } from '../temporaryFolders.ts';
import { type Printed, printedHere, runHere } from './cliHarness.ts';
import { runFirn } from './firnProcess.ts';
import { checkedDocument } from './jsonDocument.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

/** Files with the names of those that an earlier demo wrote. */
const earlier = ['.state/firn.duckdb', 'lake/earlier.parquet', 'parquet/earlier.parquet', 'report.html'];

let folder: string;
let shown: Printed;
let ledger: Ledger;
/** What `firn --json demo` prints. */
let machine: Printed;
let reader: Reader;

/** Runs the command here. @param told given what writes for machines what is for people */
async function runDemo(
  into: string,
  {
    told = () => {},
    signal = new AbortController().signal,
    flags = [],
  }: { told?(tell: () => void): void; signal?: AbortSignal; flags?: readonly string[] } = {},
): Promise<number> {
  let code = 0;
  const program = new Command();
  demoCommand(program, (action) => async (...args) => {
    const global = { config: '' };
    const console = createConsole(global);
    // What is for people, and what is for machines, of the same runs.
    const data: Console['data'] = (schema, value) =>
      told(() => createConsole({ ...global, json: true }).data(schema, value));
    code = await action({ global, console: { ...console, data }, signal }, ...args);
    console.close();
  });
  await program.parseAsync(['node', 'firn', 'demo', '--folder', into, ...flags]);
  return code;
}

// One demo for all: it reads everything that there is, and builds and publishes it twice.
beforeAll(async () => {
  folder = join(await temporary(), 'demo');
  ledger = await readLedger();
  for (const name of earlier) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), 'earlier');
  }
  await writeFile(join(folder, 'firn.yaml'), demoMark);
  await writeFile(join(folder, 'notes.txt'), 'mine');
  let tell = () => {};
  shown = await printedHere(() =>
    runDemo(folder, {
      told(data) {
        tell = data;
      },
    }),
  );
  machine = await printedHere(async () => {
    tell();
    return shown.code;
  });
  reader = await openReader(folder);
  return () => reader.close();
});

const query: Query = (sql) => reader.query(sql);

test('firn demo ends with 0 and a summary of what it did', () => {
  expect(shown.code, shown.out + shown.err).toBe(0);
  expect(shown.out).toMatch(/^node\/containers +5 +[\d,]+ +[\d,]+ +\d+ +0 +done$/m);
  expect(shown.out).toMatch(/^txCount +\d+ equal.* \d+ equal/m);
  expect(shown.out).toMatch(/published version 1:.*published version 2:/s);
  expect(shown.out).not.toMatch(/differs|failed|not published/i);
  for (const part of ['Parquet', 'Database', 'SELECT * FROM mart.metric']) expect(shown.out).toContain(part);
  // No bar, no colours and no logs off a terminal.
  expect(shown.err).toMatch(/^The embedded network is at http:\/\/127\.0\.0\.1:\d+: .*\n$/);
});

describe('what it read is what the ledger holds', () => {
  test('hashes of every block of the C-Chain and the L1, by JSON-RPC and out of the containers', async () => {
    for (const chain of [ledger.c, ...ledger.l1s]) {
      const own = await heightsAndIds(
        query,
        'raw.node_evm_blocks',
        'number',
        'hash',
        `chain_id = '${chain.evmChainId}'`,
      );
      expect(own).toEqual(hashesOf(chain));
    }
    expect(await heightsAndIds(query, 'raw.node_containers_c_blocks', 'number', 'hash')).toEqual(hashesOf(ledger.c, 1));
  });

  test('ids of every block of the P- and the X-Chain', async () => {
    expect(await heightsAndIds(query, 'raw.node_containers_p_blocks', 'height', 'block_id')).toEqual(
      blockIdsOf(ledger.p),
    );
    expect(await heightsAndIds(query, 'raw.node_containers_x_blocks', 'height', 'block_id')).toEqual(
      blockIdsOf(ledger.x),
    );
  });

  test('bytes of every container', async () => {
    const stored = await query(`SELECT index_name, id, lower(hex(bytes)) AS bytes FROM raw.node_containers`);
    const own = new Map(stored.map(({ index_name, id, bytes }) => [`${index_name} ${id}`, bytes]));
    const chains = { 'C/block': ledger.c.blocks, 'P/block': ledger.p.blocks, 'X/block': ledger.x.blocks };
    let containers = 0;
    for (const [name, blocks] of some(Object.entries(chains))) {
      for (const { container } of blocks) {
        if (container === null) continue;
        containers++;
        // Hex with 0x in front and a checksum of four bytes behind.
        expect(own.get(`${name} ${container.id}`)).toBe(container.bytes.slice(2, -8));
      }
    }
    expect(own.size).toBe(containers);
  });
});

test('the metrics are those on which two independent programs agree', async () => {
  const chains = [ledger.c, ...ledger.l1s];
  expect(chains.length).toBe(2);
  for (const { name, evmChainId } of some(chains)) {
    const expected = await expectedMetrics(name);
    expect(expected.length).toBeGreaterThan(1000);
    expect(await ownMetrics(query, String(evmChainId))).toEqual(expected);
  }
  expect(await query('SELECT DISTINCT covered FROM mart.metric')).toEqual([{ covered: true }]);
});

test('every settled bucket agrees with the served one; only open ones are provisional', async () => {
  const counts = await query(
    'SELECT verdict, count(*)::INTEGER AS n FROM mart.reconciliation GROUP BY verdict ORDER BY verdict',
  );
  const verdicts = Object.fromEntries(counts.map(({ verdict, n }) => [verdict, n]));
  expect(Object.keys(verdicts).sort()).toEqual(['equal', 'equal_as_double', 'served_provisional']);
  expect(verdicts['equal']).toBeGreaterThan(5000);
});

test('the page for BI tools tells of every table that the demo has as files, and of every view', async () => {
  const tables = (await readCurrent(folder))?.tables.filter(({ files }) => files.length > 0);
  const page = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'bi.md'), 'utf8');
  const told = [...page.matchAll(/^\|(?:[^|]+\|){2} \d+ of (\d+) \|/gm)].map(([, all]) => Number(all));
  expect(new Set(told)).toEqual(new Set([tables?.length]));
  const toldViews = [...page.matchAll(/ \| \d+ of (\d+) \| none \|/g)].map(([, all]) => Number(all));
  const views = await query('SELECT count(*)::INTEGER AS views FROM duckdb_views() WHERE NOT internal');
  expect([...new Set(toldViews)].map((count) => ({ views: count }))).toEqual(views);
});

test('another demo replaces what the first wrote and nothing else', async () => {
  expect(checkedDocument(['demo'], machine.out)).toMatchObject({ folder, runs: [{ exitCode: 0 }, { exitCode: 0 }] });
  expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('mine');
  for (const name of earlier) {
    const text = existsSync(join(folder, name)) && (await readFile(join(folder, name), 'latin1'));
    expect(text, name).not.toBe('earlier');
  }
});

test('a demo in the folder that somebody works in leaves them there', async () => {
  const before = process.cwd();
  process.chdir(await temporary());
  onTestFinished(() => process.chdir(before));
  await printedHere(() => runDemo('.', { signal: AbortSignal.abort('SIGINT') }));
  // Nothing is found from a folder that was removed, though there be a new one of its name.
  expect(existsSync('firn.yaml')).toBe(true);
});

test.each([
  ['a folder with something else', ['notes.txt'], []],
  ['a folder with another configuration', ['firn.yaml'], []],
  ['a lie that there is none of', [], ['--served-faults', 'liee']],
])('%s: nothing is deleted', async (_, names, flags) => {
  const kept = join(await temporary(), 'demo');
  await mkdir(join(kept, '.state'), { recursive: true });
  for (const name of [...names, '.state/firn.duckdb']) await writeFile(join(kept, name), 'mine');
  if (names.length === 0) await writeFile(join(kept, 'firn.yaml'), demoMark);
  expect((await runHere(['demo', '--folder', kept, ...flags])).code).toBe(2);
  for (const name of [...names, '.state/firn.duckdb']) expect(await readFile(join(kept, name), 'utf8')).toBe('mine');
});

test.each([
  ['a folder with something else', 'notes.txt', 'mine'],
  ['a demo that was kept', 'firn.yaml', keptMark],
])('where the uninterrupted run would be in %s, --kill deletes nothing of either', async (_, name, text) => {
  const killed = join(await temporary(), 'demo');
  const other = `${killed}-uninterrupted`;
  const files = [
    [join(killed, 'firn.yaml'), demoMark],
    [join(killed, 'report.html'), 'earlier'],
    [join(other, name), text],
  ] as const;
  for (const at of [killed, other]) await mkdir(at);
  for (const [file, held] of files) await writeFile(file, held);
  const { code, err } = await runHere(['demo', '--kill', '--folder', killed]);
  expect([code, err]).toEqual([2, expect.stringContaining(other)]);
  for (const [file, held] of files) expect(await readFile(file, 'utf8')).toBe(held);
});

test('--kill goes on behind the run that was killed, and ends with what an uninterrupted run has', async () => {
  const killed = join(await temporary(), 'demo');
  const { code, out } = await runHere(['demo', '--kill', '--folder', killed]);
  expect(code, out).toBe(0);
  expect(out).toMatch(/was killed \(SIGKILL\)[\s\S]*All \d+ tables are row-identical/);
  expect(existsSync(`${killed}-uninterrupted`)).toBe(false);
});

test('a demo that was kept is not replaced, running or not', async () => {
  const kept = join(await temporary(), 'demo');
  const signal = AbortSignal.abort('SIGINT');
  await printedHere(() => runDemo(kept, { signal, flags: ['--keep'] }));
  await writeFile(join(kept, 'report.html'), 'mine');
  await expect(runDemo(kept, { signal })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(/demo that was kept/),
  });
  expect(await readFile(join(kept, 'report.html'), 'utf8')).toBe('mine');
});

test('a warehouse that another process still uses is not deleted', async () => {
  const used = join(await temporary(), 'demo');
  const holder = join(used, '.state', 'holder.json');
  await mkdir(dirname(holder), { recursive: true });
  await writeFile(join(used, 'firn.yaml'), demoMark);
  await writeFile(holder, '');
  const place = String((await stat(holder, { bigint: true })).ino);
  await writeFile(holder, JSON.stringify({ ...(await ownProcess()), place }));
  const { code, stderr } = await runFirn(['demo', '--folder', used]);
  expect([code, stderr]).toEqual([75, expect.stringContaining(`in use by process ${process.pid}`)]);
  expect(existsSync(holder)).toBe(true);
});

test('what it published is whole', async () => {
  const { ok, version, failures } = await verifyWhole(folder);
  expect({ ok, version, failures }).toEqual({ ok: true, version: 2, failures: [] });
});
