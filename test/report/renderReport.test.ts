import { createHash } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { PagePayload } from '../../src/report/pagePayload.ts';
import { largestPage, renderReport } from '../../src/report/renderReport.ts';
import type { ReportData } from '../../src/report/reportData.ts';
import { mapColumns } from '../../src/report/seriesPoints.ts';
import { isExplained } from '../../src/report/verdicts/verdictFacts.ts';
import { some } from '../some.ts';
import { sampleReport } from './sampleReport.ts';
import { hostile } from './sampleWarehouse.ts';

let calm: ReportData;
let troubled: ReportData;
let page: string;

beforeAll(async () => {
  calm = await sampleReport();
  troubled = await sampleReport({ troubles: true }, (sql) => `-- for its reader\n${sql}`);
  page = renderReport(troubled);
});

/** Text of the first element that matches, tags taken out. */
const textOf = (source: string, element: RegExp): string =>
  (element.exec(source)?.[0] ?? '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** What the page's script draws. */
const payloadOf = (source: string): PagePayload =>
  JSON.parse(inflateRawSync(Buffer.from(/ id="payload">([^<]*)/.exec(source)?.[1] ?? '', 'base64')).toString());

/** The markup of a page, without its script. */
const markupOf = (source: string): string => source.replace(/<script>.*?<\/script>/s, '');

const idsOf = (source: string) => Array.from(source.matchAll(/ id="([^"]*)"/g), ([, id]) => id);

/** What links within a page lead to and the page does not have. */
function brokenLinks(source: string) {
  const ids = new Set(idsOf(source));
  return Array.from(source.matchAll(/ href="#([^"]*)"/g), ([, id]) => id).filter((id) => !ids.has(id));
}

/** The matrix of one chain as rows of cells, in words. */
function matrixOf(source: string, name: string): Record<string, string[]> {
  const table =
    source.split('<table class="matrix">').find((part) => part.includes(`<caption>${name}</caption>`)) ?? '';
  const rows = [...(table.split('</table>')[0] ?? '').matchAll(/<th scope="row">(\w+)<\/th>(.*?)<\/tr>/gs)];
  return Object.fromEntries(
    rows.map(([, metric = '', cells = '']) => [
      metric,
      [...cells.matchAll(/<span class="vh">(.*?)<\/span>/g)].map(([, words = '']) => words),
    ]),
  );
}

describe('the matrix', () => {
  test('has a row a metric and says of every cell what is in it', () => {
    const matrix = matrixOf(renderReport(calm), 'C-Chain (43112)');
    expect(Object.keys(matrix)).toHaveLength(17);
    expect(matrix['txCount']).toEqual([
      '16 provisional, 284 equal',
      '4 provisional, 71 equal',
      '1 provisional, 10 equal',
      '3 equal',
    ]);
    expect(matrix['feesPaid']).toEqual([
      'no such interval',
      '4 provisional, 71 equal',
      'no such interval',
      'no such interval',
    ]);
  });

  test('shows the worst of a cell first, and leads to what it means', () => {
    const matrix = matrixOf(page, 'C-Chain (43112)');
    expect(matrix['txCount']?.[1]).toBe('3 differs, 4 provisional, 68 equal');
    expect(matrix['cumulativeContracts']?.[1]).toBe('71 explained, 4 provisional');
    expect(matrix['gasUsed']?.[1]).toBe('1 not served, 4 provisional, 70 equal');
    expect(matrix['maxGps']?.[1]).toBe('71 rounded, 4 provisional');
    // Of those that are settled.
    expect(page).toContain('3 <small>of 71</small>');
    expect(page).toContain('1 <small>of 71</small>');
    const cell = (metric: string) => `data-go="chain=43112&amp;metric=${metric}&amp;interval=day"`;
    expect(page).toContain(`<a href="#x-43112-maxGps-day" ${cell('maxGps')}>`);
    expect(page).toContain(`<a href="#x-43112-txCount-day" ${cell('txCount')}>`);
    expect(page).toContain(`<a href="#waiting" ${cell('feesPaid')}>`);
    const meaning = textOf(page, /<details class="x differs" id="x-43112-txCount-day" open>.*?<\/details>/s);
    expect(meaning).toContain('What to do:');
    const [, own, served] = /2026-02-12 (\d+) (\d+) 7 1657 – 1728/.exec(meaning) ?? [];
    expect(Number(served) - Number(own)).toBe(7);
    expect(meaning).toContain('firn reconcile --explain 43112 txCount 2026-02-12');
  });

  test('leads to the bucket of its own interval', () => {
    const differs = troubled.verdicts.filter(({ verdict }) => verdict === 'differs');
    const commandOf = (interval: string) => {
      const verdicts = differs.map((count) => ({ ...count, interval }));
      const examples = troubled.examples.map((example) => ({ ...example, interval, bucket: 0 }));
      const text = renderReport({ ...troubled, verdicts, examples });
      return /firn reconcile --explain [^<]*/.exec(text)?.[0]?.replaceAll('&#39;', "'");
    };
    expect(['hour', 'day', 'week', 'month'].map(commandOf)).toEqual([
      "firn reconcile --explain 43112 txCount '1970-01-01 00:00:00' --interval hour",
      'firn reconcile --explain 43112 txCount 1970-01-01',
      'firn reconcile --explain 43112 txCount 1970-01-01 --interval week',
      'firn reconcile --explain 43112 txCount 1970-01-01 --interval month',
    ]);
  });
});

describe('the headline', () => {
  test.each([
    ['all agree', () => renderReport(calm), 'All 4,790 settled buckets agree'],
    ['some differ', () => page, '3 of 4,637 settled buckets differ'],
    [
      'some are rounded',
      () =>
        renderReport({
          ...calm,
          verdicts: calm.verdicts.map((row) =>
            row.metric === 'avgTps' && row.chainId === '43112' && row.verdict === 'equal'
              ? { ...row, verdict: 'equal_rounded' }
              : row,
          ),
        }),
      'All 4,790 settled buckets agree, 71 of them rounded',
    ],
    ['none compared', () => renderReport({ ...calm, verdicts: [] }), 'Nothing was compared yet'],
    [
      'none settled',
      () =>
        renderReport({ ...calm, verdicts: calm.verdicts.filter(({ verdict }) => verdict === 'served_provisional') }),
      'No bucket can be judged yet',
    ],
  ])('%s', (_, render, sentence) => {
    expect(textOf(render(), /<h1.*?<\/h1>/s)).toBe(sentence);
  });

  test('says besides what neither agrees nor differs, and of nothing why', () => {
    const verdicts = calm.verdicts
      .slice(0, 2)
      .map((row, i) => ({ ...row, verdict: i === 0 ? 'offset_constant' : 'own_incomplete', buckets: 1 }));
    expect(textOf(renderReport({ ...calm, verdicts }), /<p class="rest">.*?<\/p>/s)).toBe(
      'Also: 1 bucket with a difference that is explained; 1 bucket not covered.',
    );
  });

  test('says what else needs a look', () => {
    const list = textOf(page, /<ul class="attention">.*?<\/ul>/s);
    expect(list).toContain('ended with 77 (not authorised): node/containers');
    expect(list).toContain('1 audit failed: assert_parent_hashes');
    expect(list).toContain('2 relations (mart.fct_block, mart.metric) are held back');
    expect(textOf(page, /<details id="held-back".*?<\/details>/s)).toContain('mart.fct_block, mart.metric');
    expect(list).toContain('2 records are in quarantine');
    expect(list).toContain('On 1 day the served cumulativeTxCount does not grow by the served txCount');
    expect(renderReport(calm)).not.toContain('<ul class="attention">');
  });
});

test('what needs a look is told by its kinds, three reasons of what is held back, and how many more', () => {
  const late = { outcome: 'stopped', behind: 5 };
  const streams = calm.streams.slice(0, 2).map((one, i) => ({
    ...one,
    stream: `a/${i}`,
    partitions: one.partitions.map((partition) => ({ ...partition, ...late })).slice(0, 1),
  }));
  const heldBack = ['one', 'two', 'three', 'four'].map((audit) => ({ relation: 'r', audit, since: 1, reason: 'why' }));
  const unresolved = { ...calm.unresolved, heldBack };
  const unloaded = [{ file: 'a.csv', problem: 'it is empty' }];
  const text = renderReport({ ...calm, streams, unresolved, unloaded, unreadable: 'The state is gone.' });
  const list = textOf(text, /<ul class="attention">.*?<\/ul>/s);
  for (const said of [
    'The state is gone.',
    'by three: why.',
    '1 more reason holds something back.',
    '2 streams are behind what there is to read: a/0 by 5, a/1 by 5.',
    'refs/a.csv is not loaded: it is empty.',
  ])
    expect(list).toContain(said);
  expect(list).not.toContain('by four');
});

test('an example stands with those of its verdict, its reading and its factor', () => {
  const [count] = troubled.verdicts.filter(({ verdict }) => verdict === 'differs');
  const [example] = troubled.examples.filter(({ verdict }) => verdict === 'differs');
  if (!count || !example) throw new Error('nothing differs');
  const kinds = [{}, { variant: 'other' }, { scale: '1000' }, { verdict: 'served_missing' }];
  const text = renderReport({
    ...troubled,
    verdicts: kinds.map((kind, i) => ({ ...count, ...kind, buckets: i + 1 })),
    examples: kinds.map((kind, i) => ({ ...example, ...kind, bucket: i * 86_400, own: `${i + 1}11` })),
  });
  const tables = text.matchAll(/<caption>([\w ]* buckets?)<\/caption>.*?<td class="n">(\d11)</gs);
  expect(Array.from(tables, ([, label, own]) => `${label}: ${own}`)).toEqual([
    '1 bucket: 111',
    'The newest 1 of 2 buckets: 211',
    'The newest 1 of 3 buckets: 311',
    'The newest 1 of 4 buckets: 411',
  ]);
});

test.each([
  [{ outcome: 'done', behind: null }, undefined],
  [{ outcome: 'stopped', behind: 1234 }, '1 stream is behind what there is to read: node/evm_blocks by 1,234.'],
  [{ outcome: 'failed', behind: 1234 }, '1 stream could not be read whole: node/evm_blocks.'],
])('of a stream whose partition is %j the list of what needs a look says: %s', (state, said) => {
  const streams = calm.streams
    .filter(({ stream }) => stream === 'node/evm_blocks')
    .map((one) => ({ ...one, partitions: one.partitions.map((partition) => ({ ...partition, ...state })) }));
  const list = textOf(renderReport({ ...calm, streams }), /<ul class="attention">.*?<\/ul>/s);
  expect(list).toBe(said ?? '');
});

test.each(['txCount', 'cumulativeTxCount'])(
  'a day contradicts itself once it is settled, also in %s',
  { tags: 'long' },
  async (metric) => {
    const last = `UPDATE mart.reconciliation SET served_settled = false WHERE bucket = TIMESTAMP '2026-02-11' AND metric = '${metric}'`;
    const { inconsistentDays } = await sampleReport({ troubles: true, days: 30, hourStep: 24, last });
    expect(inconsistentDays).toBe(0);
  },
);

describe('the page', () => {
  test('shows what comes from elsewhere as text', () => {
    expect(page).not.toContain(hostile);
    expect(page).not.toContain('<img');
    expect(page.match(/<script/g)).toHaveLength(2);
    expect(markupOf(page).match(/<script[^>]*>/g)).toEqual(['<script type="text/plain" id="payload">']);
    expect(page).toContain('&lt;img src=x onerror=&quot;');
  });

  test('allows its own style and script by their hashes, and nothing else', () => {
    const policy =
      /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]?.replaceAll('&#39;', "'") ?? '';
    const hash = (text = '') => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src ${hash(/<style>(.*?)<\/style>/s.exec(page)?.[1])};`);
    expect(policy).toContain(`script-src ${hash(/<script>(.*?)<\/script>/s.exec(page)?.[1])};`);
    expect(policy).not.toContain('unsafe');
    expect(markupOf(page)).not.toMatch(/ (style|on\w+)="/);
    expect(markupOf(page)).not.toMatch(/(src|href)="(?!#|data:)/);
  });

  test('has no link into nothing, and no name twice', () => {
    const ids = idsOf(page);
    expect(new Set(ids).size).toBe(ids.length);
    expect(brokenLinks(page)).toEqual([]);
    for (const [, id] of some(page.matchAll(/aria-labelledby="([^"]*)"/g))) expect(ids).toContain(id);
  });

  test('tells the newest settled value of each metric first, then the provisional one with its day', () => {
    const row = textOf(page, /<tr id="m-43112-txCount-day">.*?\n/s);
    expect(row).toMatch(/^txCount transactions 2026-03-31 [\d,]+ [\d,]+ equal 2026-04-04 [\d,]+ [\d,]+$/);
  });

  test('tells no bucket that lies ahead as the newest', () => {
    const ahead = calm.series.map((one) => {
      const { bucket, ...columns } = mapColumns(one.columns, (column) => `${column},`);
      return {
        ...one,
        columns: {
          ...columns,
          bucket: `${bucket}${100 * 365 * 96}`,
          served: `${columns.served}5`,
          verdict: `${columns.verdict}own_incomplete`,
        },
      };
    });
    const text = renderReport({ ...calm, series: ahead });
    const row = /<tr id="m-43112-txCount-day">.*?\n/s;
    expect(textOf(text, row)).toBe(textOf(renderReport(calm), row));
  });

  test('has no example of what is not explained', () => {
    expect(new Set(troubled.examples.map(({ verdict }) => verdict))).toEqual(
      new Set(troubled.verdicts.map(({ verdict }) => verdict).filter(isExplained)),
    );
  });

  test('tells every stream, run, reason and audit', () => {
    const rows = textOf(page, /<section id="streams".*?<\/section>/s);
    expect(rows).toContain(
      'node/evm_blocks up to date 9,998 1 2026-03-30 10:20:00 none 2026-04-05 00:20:55 2026-04-05 00:10:03',
    );
    expect(rows).toContain('node/containers × 2 1 partition failed');
    const runs = textOf(page, /<section id="runs".*?<\/section>/s);
    expect(runs).toContain('2026-04-05 00:10:00 run 0 ok 42 s 182 7,074');
    expect(runs).toContain('none did not end: it was killed, the machine stopped, or the disk was full');
    expect(textOf(page, /<section id="quarantine".*?<\/section>/s)).toContain('gasUsed: expected a hex number');
    expect(textOf(page, /<section id="limits".*?<\/section>/s)).toContain('metrics 58 0 580 1.8 s 240 kB');
    expect(textOf(page, /<section id="coverage".*?<div class="wide years"/s)).toContain('C-Chain (43112)');
    const days = troubled.coverage.filter(({ chainId, level }) => chainId === '43112' && level === 'blocks');
    const [blocks, transactions] = (['blocks', 'transactions'] as const).map((what) =>
      days.reduce((sum, day) => sum + day[what], 0).toLocaleString('en'),
    );
    expect(page).toContain(
      `2026-03-03 – 2026-03-06<td>blocks only<td class="n">4<td class="n">${blocks}<td class="n">${transactions}`,
    );
  });

  test('tells of a run that goes on how far it is, and of ended ones whether they are good, bad or worth trying again', () => {
    const [run] = calm.runs.map((one) => ({ ...one, problems: [] }));
    if (!run) throw new Error('no run');
    const open = { stream: 'a/b', partition: 'all', done: 10, total: null, remainingMs: 120_000 };
    const running = { runId: 'r', command: 'run', phase: 'sync', pid: 7, since: 'noon', reading: [open] };
    const runs = [
      ...[0, 75, 130, 1].map((exitCode) => ({ ...run, exitCode })),
      { ...run, exitCode: null, isGoing: true },
    ];
    const section = (more: Partial<ReportData>) =>
      /<section id="runs".*?<\/section>/s.exec(renderReport({ ...calm, ...more }))?.[0] ?? '';
    const told = section({ runs, running });
    expect(textOf(told, /.*/s)).toContain('a/b all: 10, about 2 min still');
    expect(textOf(section({ running: { ...running, phase: 'build' } }), /.*/s)).not.toContain('a/b');
    expect(Array.from(told.matchAll(/<span class="c (\w+)">/g), ([, group]) => group)).toEqual([
      'agrees',
      'waiting',
      'waiting',
      'differs',
      'own',
    ]);
    expect(textOf(told, /.*/s)).toContain('none goes on');
  });

  test('counts audits that hold, and relations that are held back once', () => {
    const [audit] = calm.audits;
    if (!audit) throw new Error('no audit');
    const audits = [true, false, false].map((couldNotLook) => ({ ...audit, failedRows: 0, couldNotLook }));
    const heldBack = ['a', 'b'].map((by) => ({ relation: 'mart.x', audit: by, since: 1, reason: 'r' }));
    const text = renderReport({ ...calm, audits, unresolved: { ...calm.unresolved, heldBack } });
    const list = /<details id="audits".*?<\/details>/s.exec(text)?.[0] ?? '';
    expect(textOf(list, /.*/s)).toContain('2 of 3 audits hold');
    expect(list.match(/<li><svg class="i" aria-hidden="true"><use href="#i-differs"/g)).toHaveLength(1);
    expect(textOf(text, /<details id="held-back".*?<\/details>/s)).toContain('1 relation held back');
  });

  test('tells of streams how far they are behind the newest one and what there is, failed partitions first', () => {
    const [stream] = calm.streams;
    const [partition] = stream?.partitions ?? [];
    if (!stream || !partition) throw new Error('no stream');
    const of = (outcome: string, behind: number | null = null) => ({
      ...partition,
      partition: outcome,
      outcome,
      behind,
    });
    const streams = [
      { ...stream, stream: 'a/old', newestRow: 0, partitions: [of('stopped', 7), of('failed')] },
      { ...stream, stream: 'a/new', newestRow: 3_600_000, partitions: [of('stopped', 7), of('stopped', 1)] },
    ];
    const section = textOf(renderReport({ ...calm, streams }), /<section id="streams".*?<\/section>/s);
    expect(section).toContain('newest of any stream (1970-01-01 01:00:00 UTC)');
    expect(section).toMatch(
      /a\/old × 2 1 partition failed .*? 1970-01-01 00:00:00 1 h .*a\/new × 2 8 behind .* 01:00:00 none /,
    );
    expect(section).toMatch(/failed failed .* stopped stopped, 7 behind .* stopped stopped, 7 behind /);
  });

  test('shows the chains first that have most to look at, whatever is not settled yet', () => {
    const [count] = calm.verdicts;
    if (!count) throw new Error('no verdict');
    const verdicts = [
      { ...count, chainId: '1', verdict: 'served_provisional', buckets: 900 },
      { ...count, chainId: '2', verdict: 'served_missing', buckets: 50 },
      { ...count, chainId: '3', verdict: 'differs', buckets: 2 },
    ];
    const captions = renderReport({ ...calm, verdicts }).matchAll(
      /<table class="matrix"><caption>.*?(\d)\)?<\/caption>/g,
    );
    expect(Array.from(captions, ([, chain]) => chain)).toEqual(['3', '2', '1']);
  });

  test('says when a reason was met first and last, and how many records somebody accepted', () => {
    const [group] = troubled.unresolved.groups;
    if (!group) throw new Error('no reason');
    const groups = [{ ...group, firstAt: 0, lastAt: 86_400_000 }];
    const text = renderReport({ ...calm, unresolved: { ...calm.unresolved, groups, accepted: 2 } });
    const section = textOf(text, /<section id="quarantine".*?<\/section>/s);
    expect(section).toContain('first on 1970-01-01 00:00:00 UTC, last on 1970-01-02 00:00:00 UTC');
    expect(section).toContain('2 records could not be read, and somebody accepted that');
    expect(renderReport(calm)).not.toContain('somebody accepted that');
  });

  test('says when no run has published for a day or more, whatever is new in the version', () => {
    const published = { version: 1, at: 0, rows: 1, files: 1, bytes: 1 };
    const header = (hours: number) => {
      const lastPublishedAt = calm.generatedAt - hours * 3_600_000;
      return textOf(renderReport({ ...calm, published, lastPublishedAt }), /<header.*?<\/header>/s);
    };
    expect(header(100)).toContain('no run has published for 4 d 4 h');
    expect(header(23)).not.toContain('no run has published');
  });

  test('says of one row that it is one', () => {
    const published = { version: 1, at: 0, rows: 1, files: 1, bytes: 1 };
    const audits = calm.audits
      .slice(0, 1)
      .map((audit) => ({ ...audit, name: 'assert_one', failedRows: 1, example: '{}' }));
    const one = renderReport({ ...calm, published, audits });
    expect(textOf(one, /<header.*?<\/header>/s)).toContain('1 row in 1 file');
    const inLake = renderReport({ ...calm, published: { ...published, files: 0, bytes: 0 } });
    expect(textOf(inLake, /<header.*?<\/header>/s)).toMatch(/ UTC 1 row (?!in)/);
    expect(textOf(one, /<details id="audits".*?<\/details>/s)).toContain('assert_one : 1 row, such as');
  });

  test.each([
    [null, '–'],
    [86_060, '23 h 54 min'],
    [-23_155_200, 'ahead of the blocks held'],
  ])('of a series whose newest bucket begins %d s before the newest block it says: %s', (lagSeconds, said) => {
    const freshness = calm.freshness.map((one) => ({ ...one, lagSeconds }));
    expect(renderReport({ ...calm, freshness })).toContain(`<td>2026-04-04<td class="n">${said}<td class="n">0`);
  });

  test('says how little there is in a new warehouse', () => {
    const empty = renderReport({
      ...calm,
      verdicts: [],
      examples: [],
      series: [],
      streams: [],
      coverage: [],
      runs: [],
      quota: [],
      sources: [],
      audits: [],
      chains: [],
      network: null,
      dailyQuota: {},
    });
    expect(empty.match(/class="empty"/g)?.length).toBeGreaterThanOrEqual(7);
  });

  test('calls a chain without blocks by the name that the data service gives it', () => {
    const [verdict] = calm.verdicts;
    const verdicts = verdict ? [{ ...verdict, chainId: '5000000001' }] : [];
    const servedNames = [{ chainId: '5000000001', name: 'Quiet L1' }];
    expect(renderReport({ ...calm, verdicts, servedNames })).toContain('<caption>Quiet L1 (5000000001)</caption>');
  });

  test('tells how much of what is allowed the newest fourteen days took', () => {
    const quota = Array.from({ length: 15 }, (_, i) => ({ source: 'data', day: -i * 86_400_000, units: 95 - i * 5 }));
    const text = renderReport({ ...calm, quota, dailyQuota: { data: 100 } });
    const told = textOf(text, /<table class="quota">.*?<p class="note">.*?<\/p>/s);
    expect(told).toMatch(
      /compute units a day, 100 allowed .* 1970-01-01 95 95 % 1969-12-31 90 90 % .* 1969-12-19 30 30 % The newest 14 days\.$/,
    );
    expect(text.match(/class="bar full"/g)).toHaveLength(1);
    expect(renderReport({ ...calm, quota: quota.slice(1, 14) })).not.toContain('The newest 14 days');
  });

  test('begins with the first day of blocks, and with the newest block or container of each chain', () => {
    const [{ newestTime = null } = {}] = calm.chains;
    const chains = [7, null].map((newestBlock, i) => ({
      chainId: `${i}`,
      name: `c${i}`,
      vm: '',
      newestBlock,
      newestTime,
    }));
    const header = textOf(renderReport({ ...calm, chains }), /<header.*?<\/header>/s);
    expect(header).toMatch(/c0: block 7, .* c1: containers, .* From 2026-01-20 Version/);
  });

  test('says nothing of days whose use was not published yet, whatever is allowed', () => {
    const limits = renderReport({ ...calm, quota: [] }).match(/<section id="limits".*?<\/section>/s)?.[0];
    expect(limits).toContain('The last run that read');
    expect(limits).not.toContain('compute units a day');
  });
});

describe('the size', () => {
  const bytes = (data: ReportData) => Buffer.byteLength(renderReport(data));

  test('a year of three chains fits a megabyte with every hour', { tags: 'long' }, async () => {
    const year = await sampleReport({ days: 366, hourStep: 1, troubles: true, chains: ['43112', '99999', '77777'] });
    const text = renderReport(year);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(largestPage);
    const { series, texts, chains } = payloadOf(text);
    expect(chains.map(([id]) => id)).toEqual(['43112', '77777', '99999']);
    const held = series.map(({ buckets, columns }) => [buckets, texts[columns.bucket]?.split(',').length]);
    expect(Math.max(...held.map(([buckets]) => Number(buckets)))).toBe(366 * 24);
    expect(held.filter(([buckets, points]) => buckets !== points)).toEqual([]);
  });

  test('twenty chains over a year and more fit, too; what is left out is said', { tags: 'long' }, async () => {
    const chains = Array.from({ length: 20 }, (_, index) => String(50_000 + index));
    const text = renderReport(await sampleReport({ days: 420, chains }));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(largestPage);
    expect(text).toMatch(/more chains/);
  });

  test('counts the chains that are not drawn, read or not', async () => {
    const chains = Array.from({ length: 15 }, (_, index) => String(50_000 + index));
    const text = renderReport(await sampleReport({ days: 2, chains }));
    expect(text).toContain('The metrics of 7 more chains');
    expect(text).toContain('<span>and 8 more chains</span>');
  });

  test('draws the chains with the most buckets', async () => {
    const last = "DELETE FROM mart.reconciliation WHERE chain_id = '43112'";
    const { chains } = payloadOf(renderReport(await sampleReport({ days: 2, last })));
    expect(chains.map(([id]) => id)).toEqual(['99999', '43112']);
  });

  test('leads from a cell of a chain that is not drawn to what the page says of it', () => {
    const chains = Array.from({ length: 24 }, (_, index) => String(50_000 + index));
    const ofEach = <T extends { readonly chainId: string }>(rows: readonly T[]) =>
      chains.flatMap((chainId) => rows.filter((row) => row.chainId === '43112').map((row) => ({ ...row, chainId })));
    const text = renderReport({ ...troubled, verdicts: ofEach(troubled.verdicts), series: ofEach(troubled.series) });
    expect(brokenLinks(text)).toEqual([]);
    const drawn = payloadOf(text).chains.map(([id]) => id);
    const cells = [...text.matchAll(/<td class="c \w+" title="[^"]*"><a href="#([^"]*)"(?: data-go="chain=(\d+)&)?/g)];
    expect(new Set(cells.map(([, , chain]) => chain))).toEqual(new Set([...drawn, undefined]));
    const others = cells.flatMap(([, target, chain]) => (chain === undefined ? [target] : []));
    expect(others).toContain('x-50023-txCount-day');
    expect(others).toContain('explanations');
  });

  test('says of every list how much of it is left out', () => {
    const many = 500;
    const list = <T>(item: (index: number) => T) => Array.from({ length: many }, (_, index) => item(index));
    const text = renderReport({
      ...calm,
      chains: list((index) => ({ chainId: `${index}`, name: `${index}`, vm: 'evm', newestBlock: 1, newestTime: 1 })),
      coverage: list((index) => [
        {
          chainId: '0',
          day: index * 86_400_000,
          level: index % 2 ? 'blocks' : 'holes',
          open: false,
          blocks: 1,
          transactions: 1,
        } as const,
        { chainId: `${index + 1}`, day: 0, level: 'blocks', open: false, blocks: 1, transactions: 1 } as const,
      ]).flat(),
      gaps: list(() => ({ stream: 's', partition: 'p', from: 1, to: 2 })),
      unknownMembers: 1234,
      schemaChanges: list(() => ({ stream: 's', member: 'm', example: '1', seenAt: 1 })),
      unresolved: {
        ...calm.unresolved,
        heldBack: list((index) => ({ relation: 'mart.metric', audit: `${index}`, since: 1, reason: 'r' })),
      },
      runs: calm.runs.map((run) => ({ ...run, problems: list((index) => `problem ${index}`) })),
    });
    for (const said of [
      /<li><a href="#held-back">497 more reasons<\/a> hold something back/,
      /<li>488 more reasons not shown/,
      /<span>and \d+ more chains<\/span>/,
      /\d+ more chains not shown/,
      /held alike: the newest \d+ of 500</,
      /\d+ more holes not shown/,
      /1,234 members that no schema knows/,
    ])
      expect(text).toMatch(said);
    expect(text).toContain('<th scope="row">1971-05-15<td>');
  });

  test('shows no SQL that would have to be cut: it could not be run', () => {
    expect(troubled.examples.every(({ query }) => query.startsWith('-- for its reader\n'))).toBe(true);
    const shown = (query: string) =>
      renderReport({ ...troubled, examples: troubled.examples.map((example) => ({ ...example, query })) });
    expect(shown(`SELECT ${'1'.repeat(500)}`)).toContain('<p>Or in any SQL client:</p>');
    expect(shown(`SELECT ${'1'.repeat(700)}`)).not.toContain('<p>Or in any SQL client:</p>');
  });

  test('texts of any length and lists of any number fit', { tags: 'long' }, () => {
    const long = hostile.repeat(200);
    const many = <T>(item: T, length = 400) => Array.from({ length }, () => item);
    // In each of many: more than a page shows, too.
    const most = 100;
    const stuffed: ReportData = {
      ...troubled,
      chains: many({ chainId: '1', name: long, vm: 'evm', newestBlock: 1, newestTime: 1 }),
      verdicts: many({
        chainId: long,
        metric: long,
        interval: 'day',
        verdict: 'differs',
        variant: long,
        scale: null,
        buckets: 3,
        firstBucket: 0,
        lastBucket: 1,
      }).map((verdict, index) => ({ ...verdict, chainId: `${index} ${long}`, metric: `${index} ${long}` })),
      unresolved: {
        records: 500,
        accepted: 1,
        streams: many({ stream: long, records: 1 }),
        groups: many({
          stream: long,
          partition: long,
          reason: long,
          records: 1,
          times: 1,
          firstAt: 1,
          lastAt: 1,
          example: long,
        }),
        heldBack: many({ relation: long, audit: long, since: 1, reason: long }),
      },
      unknownMembers: 400,
      schemaChanges: many({ stream: long, member: long, example: long, seenAt: 1 }),
      audits: many({ name: long, failedRows: 1, checkedAt: 1, example: long, couldNotLook: false }),
      runs: many({
        runId: '1',
        command: long,
        startedAt: 1,
        finishedAt: 2,
        exitCode: 1,
        rows: 1,
        requests: 1,
        problems: many(long, most),
        phases: ['publish'],
        pipelines: many(long, most),
        isWhole: true,
        isEverything: true,
        isPublished: false,
        isLockedOut: false,
        isGoing: false,
      }),
      gaps: many({ stream: long, partition: long, from: 1, to: 2 }),
      streams: many({
        stream: long,
        rows: 1,
        quarantined: 1,
        knownGaps: 1,
        unnamedFailures: 0,
        lastLoad: 1,
        lastRead: 1,
        newestRow: 1,
        partitions: many(
          {
            partition: long,
            position: long,
            rows: 1,
            quarantined: 0,
            lastLoad: 1,
            lastRead: 1,
            outcome: 'failed',
            message: long,
            code: long,
            behind: 1,
          },
          most,
        ),
      }),
    };
    expect(bytes(stuffed)).toBeLessThanOrEqual(largestPage);
  });
});
