import { beforeAll, expect, test } from 'vitest';
import { prometheusText } from '../../../src/report/health/prometheusText.ts';
import type { ReportData } from '../../../src/report/reportData.ts';
import { some } from '../../some.ts';
import { sampleReport } from '../sampleReport.ts';
import { hostile } from '../sampleWarehouse.ts';

let data: ReportData;
let lines: string[];

beforeAll(async () => {
  data = await sampleReport({ troubles: true });
  lines = prometheusText(data, { exitCode: 0 }).split('\n');
});

const value = (start: string): number =>
  Number(lines.find((line) => line.startsWith(`${start} `))?.slice(start.length + 1));

test('every line is a comment or a sample, and every family is told once with its type', () => {
  expect(lines.at(-1)).toBe('');
  const sample =
    /^firn_[a-z_]+(\{[a-z_]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\["\\n])*")*\})? -?\d+(\.\d+)?(e[+-]?\d+)?$/;
  for (const line of some(lines.slice(0, -1)))
    expect(line).toMatch(line.startsWith('#') ? /^# (HELP|TYPE) firn_[a-z_]+ / : sample);
  // Of two samples of one series, a collector would refuse the whole file.
  const series = lines.flatMap((line) => (line.startsWith('#') ? [] : [line.slice(0, line.lastIndexOf(' '))]));
  expect(series.toSorted()).toEqual([...new Set(series)].sort());
  const types = lines.filter((line) => line.startsWith('# TYPE '));
  expect(new Set(types).size).toBe(types.length);
  const names = new Set(lines.filter((line) => line && !line.startsWith('#')).map((line) => line.split(/[{ ]/)[0]));
  expect(types.map((line) => line.split(' ')[2]).sort()).toEqual([...names].sort());
});

test('a private network that is served by the name of a public one is told apart by its id', () => {
  const [info = ''] =
    prometheusText({ ...data, network: { name: 'fuji', id: 12345 } }, { exitCode: 0 }).match(/^firn_info.*/m) ?? [];
  expect(info).toMatch(/network="fuji",network_id="12345"\} 1$/);
});

test('of a cluster a monitor learns when workers last read', () => {
  const of = (more: Pick<ReportData, 'workersHeardAt'>) =>
    prometheusText({ ...data, ...more }, { exitCode: 0 }).match(/^firn_workers_read_timestamp_seconds (.*)$/m)?.[1];
  expect([of({ workersHeardAt: 1_800_000_000_000 }), of({ workersHeardAt: null }), of({})]).toEqual([
    '1800000000',
    undefined,
    undefined,
  ]);
});

test('of a cluster, whose rows are in its lake, no size of files is told', () => {
  const of = (files: number, bytes: number) =>
    prometheusText({ ...data, published: { version: 1, at: 0, rows: 3, files, bytes } }, { exitCode: 0 });
  expect(of(1, 7)).toContain('firn_published_bytes 7');
  expect(of(0, 0)).toContain('firn_published_rows 3');
  expect(of(0, 0)).not.toContain('published_bytes');
});

test('the numbers are those of the warehouse', () => {
  expect(value('firn_last_run_exit_code')).toBe(77);
  expect(value('firn_last_success_timestamp_seconds')).toBe(Date.UTC(2026, 3, 5, 0, 10, 42) / 1000);
  expect(value('firn_stream_rows{stream="node/evm_blocks"}')).toBe(9998);
  expect(value('firn_stream_quarantined{stream="node/evm_blocks"}')).toBe(1);
  expect(value('firn_stream_failed_partitions{stream="node/containers"}')).toBe(1);
  expect(value('firn_stream_known_gaps{stream="node/evm_blocks"}')).toBe(1);
  expect(value('firn_stream_newest_row_timestamp_seconds{stream="node/evm_blocks"}')).toBe(
    Date.UTC(2026, 2, 30, 10, 20) / 1000,
  );
  expect(value('firn_reconciled_buckets{chain_id="43112",metric="txCount",interval="day",verdict="differs"}')).toBe(3);
  expect(value('firn_audit_failed_rows{audit="assert_parent_hashes"}')).toBe(2);
  expect(value('firn_last_run_duration_seconds')).toBe(55);
  expect(value('firn_stream_last_read_timestamp_seconds{stream="node/evm_blocks"}')).toBe(
    Date.UTC(2026, 3, 5, 0, 20, 55) / 1000,
  );
  expect(value('firn_chain_newest_block_timestamp_seconds{chain_id="43112",chain="C-Chain"}')).toBe(
    Date.UTC(2026, 3, 4, 18, 50) / 1000,
  );
  const moments = lines.flatMap((line) => (/^firn_\w+_timestamp_seconds\b/.test(line) ? [line.split(' ').at(-1)] : []));
  // Of the year 2026, in seconds.
  for (const moment of some(moments)) expect(moment).toMatch(/^17[67]\d{7}(\.\d+)?$/);
  expect(value('firn_held_back_relations')).toBe(2);
  expect(value('firn_held_back_since_timestamp_seconds{audit="assert_parent_hashes"}')).toBe(
    Date.UTC(2026, 3, 5, 0, 20, 30) / 1000,
  );
  expect(value('firn_quota_used_units{source="metrics"}')).toBe(1000);
  expect(value('firn_quota_daily_units{source="metrics"}')).toBe(100_000);
  expect(value('firn_running')).toBe(0);
});

test('verdicts of one series are summed, and a relation that two audits hold back is one', () => {
  const [verdict, held] = [some(data.verdicts)[0], some(data.unresolved.heldBack)[0]];
  const verdicts = [2, 3].map((buckets) => ({ ...verdict, variant: String(buckets), buckets }));
  const heldBack = ['one', 'other'].map((audit) => ({ ...held, audit }));
  const changed = { ...data, verdicts, unresolved: { ...data.unresolved, heldBack } } as ReportData;
  const told = prometheusText(changed, { exitCode: 0 }).split('\n');
  expect(told.filter((line) => /^firn_(reconciled_buckets|held_back_relations)\b/.test(line))).toEqual([
    expect.stringMatching(/ 5$/),
    'firn_held_back_relations 1',
  ]);
});

test('a run is under way since it began, and each pipeline has its own last run', () => {
  const [run] = some(data.runs);
  const runs = [3, 0].map((exitCode, place) => {
    return { ...run, exitCode, isWhole: true, isLockedOut: false, pipelines: [['main'], ['other']][place] };
  });
  const running = {
    command: 'run',
    phase: 'build',
    host: 'here',
    pid: 7,
    since: '2026-04-05T01:30:00Z',
    startedAt: '2026-04-05T01:00:00Z',
  };
  const changed = { ...data, runs, running, pipelines: ['main', 'other'] } as unknown as ReportData;
  const told = prometheusText(changed, { exitCode: 0 }).split('\n');
  expect(told.filter((line) => /^firn_(running_since|pipeline_last)/.test(line))).toEqual([
    `firn_running_since_timestamp_seconds{command="run",phase="build",host="here",pid="7"} ${Date.UTC(2026, 3, 5, 1) / 1000}`,
    'firn_pipeline_last_run_exit_code{pipeline="main"} 3',
    'firn_pipeline_last_run_exit_code{pipeline="other"} 0',
  ]);
});

test('reasons that begin alike make one sample, or the whole file would be refused', () => {
  const reason = 'gasUsed: expected a hex number; '.repeat(8);
  const group = { stream: 's', partition: 'all', records: 2, times: 2, firstAt: 1000, lastAt: 5000, example: '{}' };
  const groups = [
    { ...group, reason: `${reason}a` },
    { ...group, reason: `${reason}b`, records: 3, firstAt: 500, lastAt: 4000 },
  ];
  const told = prometheusText({ ...data, unresolved: { ...data.unresolved, groups } }, { exitCode: 0 }).split('\n');
  const labels = `{stream="s",partition="all",reason="${reason.slice(0, 160)}"}`;
  expect(told.filter((line) => line.startsWith('firn_quarantine_') && line.includes('reason='))).toEqual([
    `firn_quarantine_records${labels} 5`,
    `firn_quarantine_first_seen_timestamp_seconds${labels} 0.5`,
    `firn_quarantine_last_seen_timestamp_seconds${labels} 5`,
  ]);
});

test('an audit that could not look has no number, and says so', () => {
  const audits = data.audits.map((audit) => ({
    ...audit,
    failedRows: 0,
    couldNotLook: audit.name === 'assert_gas_adds_up',
  }));
  const told = prometheusText({ ...data, audits }, { exitCode: 0 }).split('\n');
  expect(told.filter((line) => /^firn_audit_/.test(line)).sort()).toEqual([
    'firn_audit_could_not_look{audit="assert_gas_adds_up"} 1',
    'firn_audit_failed_rows{audit="assert_no_block_is_missing"} 0',
    'firn_audit_failed_rows{audit="assert_parent_hashes"} 0',
  ]);
});

test('names from elsewhere cannot break out of a label', () => {
  const name = hostile.replaceAll('"', '\\"');
  expect(lines).toContain(`firn_chain_newest_block{chain_id="99999",chain="${name}"} 5400`);
});

test('what ends or begins a value is escaped in it', () => {
  const text = prometheusText({ ...data, dailyQuota: { 'a\\b"c\nd': 1 } }, { exitCode: 0 });
  expect(text).toContain('firn_quota_daily_units{source="a\\\\b\\"c\\nd"} 1\n');
});
