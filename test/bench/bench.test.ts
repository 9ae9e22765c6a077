import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../src/load/packageFiles.ts';
import { benchTable } from './benchTable.ts';
import { cases } from './cases.ts';
import type { Result } from './runCase.ts';

const run = promisify(execFile);
const main = join(packageRoot(), 'dist', 'test', 'bench', 'main.js');
/** The largest case reads ten times as many blocks, with 51 rows each. */
const rowsOfCase = 20;
/** A case in which firn reads as many rows of the same as in one before it would be run twice. */
const chosen = cases.filter(
  ({ serving, times = 1, sides }, i) =>
    !cases
      .slice(0, i)
      .some(
        (before) =>
          before.serving === serving &&
          (before.times ?? 1) === times &&
          sides.every((side) => before.sides.includes(side)),
      ),
);

// A run of the bench fails where a warehouse has not exactly the rows that were served: that it ends well says that every case reads all.
test.skipIf(process.platform !== 'linux')(
  'every case of firn runs, stores what is served, and stands in the table',
  { tags: 'long', timeout: 600_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firn-bench-test-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const [json, document] = [join(folder, 'out.json'), join(folder, 'speed.md')];
    await writeFile(document, 'before\n<!-- bench -->\nold\n<!-- end of bench -->\nafter\n');
    const only = chosen.map(({ name }) => name).join(',');
    const options = [
      '--only',
      only,
      '--rows',
      String(rowsOfCase),
      '--rounds',
      '1',
      '--alone',
      '--json',
      json,
      '--write',
      document,
    ];
    await run(process.execPath, [main, ...options]);
    const { results } = JSON.parse(await readFile(json, 'utf8')) as { results: Result[] };
    const text = await readFile(document, 'utf8');
    expect(text).toMatch(/^before\n<!-- bench -->\n\nCommit [\s\S]*\n<!-- end of bench -->\nafter\n$/);
    expect(text).not.toContain('old');
    for (const { name, times = 1, rows } of chosen) {
      expect(text).toContain(`**${name}**`);
      const own = results.filter((result) => result.case === name);
      const read = rows === 0 ? 0 : rowsOfCase * times;
      expect(own.map(({ side }) => side)).toContain(
        name === 'ledger' ? 'firn run' : name === 'start' ? 'firn status' : 'firn',
      );
      // The network is served from the moment on at which all its chains have begun.
      for (const result of own) {
        if (name === 'ledger') expect(result.rows).toBeGreaterThanOrEqual(read);
        else expect([name, result.side, result.rows]).toEqual([name, result.side, read]);
        expect(result.usages).toHaveLength(1);
        expect(Math.min(...result.usages.flatMap(({ wall, cpu, peak }) => [wall, cpu, peak]))).toBeGreaterThan(0);
      }
    }
  },
);

test.skipIf(process.platform !== 'linux')(
  'containers and blocks are read also where what was recorded comes for a second time',
  { tags: 'long', timeout: 600_000 },
  () => run(process.execPath, [main, '--only', 'containers,decoded,evm', '--rows', '4000', '--rounds', '1', '--alone']),
);

test('every case stands in the table', () => {
  const one = { side: 'firn', rows: 1, bytes: 1, usages: [{ wall: 1, cpu: 1, peak: 1 }] } as const;
  const table = benchTable(cases.map(({ name }) => ({ ...one, case: name })));
  for (const { name } of cases) expect(table).toContain(`**${name}**`);
});

test('a case that there is not, and a number that is none, are named', { tags: 'long' }, async () => {
  await expect(run(process.execPath, [main, '--only', 'tx2'])).rejects.toMatchObject({
    stderr: expect.stringContaining('There is no case tx2: start, tx,'),
  });
  await expect(run(process.execPath, [main, '--only', 'tx', '--rows', '0'])).rejects.toMatchObject({
    stderr: expect.stringMatching(/^--rows 0: write a whole number above zero\.\n/),
  });
});
