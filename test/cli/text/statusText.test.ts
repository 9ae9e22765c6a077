import { beforeAll, expect, test } from 'vitest';
import { runsText, statusText } from '../../../src/cli/text/statusText.ts';
import { assessHealth } from '../../../src/report/health/assessHealth.ts';
import type { ReportData } from '../../../src/report/reportData.ts';
import { sampleReport } from '../../report/sampleReport.ts';

let calm: ReportData;
let troubled: ReportData;

beforeAll(async () => {
  calm = await sampleReport();
  troubled = await sampleReport({ troubles: true });
});

const text = (data: ReportData) => statusText(data, assessHealth(data));
/** The cells of a stream's line. */
const lineOf = (stream: string, data: ReportData) =>
  text(data)
    .split('\n')
    .find((line) => line.startsWith(`${stream}  `))
    ?.split(/ {2,}/);

test('rows are counted of what is published, and before that of nothing', () => {
  const [stream] = calm.streams;
  if (!stream) throw new TypeError('the sample has no stream');
  const rows = stream.rows.toLocaleString('en-US');
  const published = { version: 1, at: calm.generatedAt, files: 1, rows: 1, bytes: 1 };
  expect(lineOf(stream.stream, { ...calm, published })?.slice(1, 4)).toEqual(['up to date', rows, '0']);
  expect(lineOf(stream.stream, { ...calm, published: null })?.slice(1, 3)).toEqual(['up to date', '0']);
});

test('a chain of which no block is held has no line', () => {
  const [chain] = calm.chains;
  if (!chain) throw new TypeError('the sample has no chain');
  const unread = { ...chain, name: 'Unread', newestBlock: null, newestTime: null };
  expect(text({ ...calm, chains: [chain, unread] })).not.toContain('Unread');
  expect(text({ ...calm, chains: [chain] })).toContain(`\n${chain.name} `);
});

test('nothing is said to run on one machine alone: of a cluster this one does not know', () => {
  expect(text(calm)).toMatch(/\n\nNothing needs attention\.\n\nNothing is running\.$/);
  expect(text({ ...calm, workersHeardAt: null })).toMatch(/\n\nNothing needs attention\.$/);
});

test('of a cluster it is said when workers last read, which no run tells', () => {
  const workersHeardAt = calm.generatedAt - 50 * 3_600_000;
  expect(text({ ...calm, workersHeardAt })).toMatch(/^workers last read .* UTC \(2 d 2 h ago\)$/m);
  expect(text(calm)).not.toContain('workers');
});

test('of records in quarantine ten groups are listed, and how many more there are', () => {
  const [group] = troubled.unresolved.groups;
  if (!group) throw new TypeError('the sample has nothing in quarantine');
  const groups = Array.from({ length: 12 }, (_, n) => ({ ...group, partition: `n=${n}` }));
  const unresolved = { ...troubled.unresolved, records: 12, groups };
  const lines = text({ ...troubled, unresolved }).split('\n');
  expect(lines.filter((line) => /^\S+ +n=\d+ /.test(line))).toHaveLength(10);
  expect(lines.find((line) => line.startsWith('and '))).toMatch(/^and 2 /);
});

test('a run without an end took no time that is known', () => {
  const [run] = troubled.runs;
  if (!run) throw new TypeError('the sample has no run');
  const ended = { ...run, startedAt: 0, finishedAt: 60_000, exitCode: 0, problems: [] };
  const lines = runsText({ ...troubled, runs: [ended, { ...ended, finishedAt: null, exitCode: null }] }).split('\n');
  expect(lines.map((line) => line.split(/ {2,}/).slice(2, 4))).toEqual([
    ['exit code', 'took'],
    ['0', '1 min'],
    ['none', String(run.requests)],
  ]);
  expect(runsText({ ...troubled, runs: [] })).toBe('No run yet.');
});
