import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { transactionExports as service } from '../../../pipelines/data-api/operations.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import type { Request } from '../../../src/core/requests/request.ts';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { openWarehouse, type Warehouse } from '../../../src/load/state/warehouse.ts';
import { downloadExport } from '../../../src/run/exports/downloadExport.ts';
import type { ExportContext } from '../../../src/run/exports/exportContext.ts';
import { type ExportState, findExport, saveExport, withPart } from '../../../src/run/exports/exportState.ts';
import { followAsFarAsItGoes, followExport, refreshExport } from '../../../src/run/exports/followExport.ts';
import { loadExportRows } from '../../../src/run/exports/loadExportRows.ts';
import { startExport } from '../../../src/run/exports/startExport.ts';
import { dropStream } from '../../../src/run/upkeep/dropStream.ts';
import { archive } from '../../load/archive/archive.ts';
import { placeState } from '../../placeState.ts';
import { temporary } from '../../temporaryFolders.ts';

const tables = tablesOf([service.operations, service.rows]);
const network = { networkId: 1, network: 'mainnet', hrp: 'avax', chains: [] };
const body = { type: 'TRANSACTION_EXPORT_EVM', firstDate: '2026-01-01', lastDate: '2026-01-31', options: {} };

/** An export's surroundings over a warehouse in a folder of its own, with a service that answers as told. */
async function surroundings(answer: (request: Request) => unknown) {
  const folder = await temporary();
  await placeState(folder, tables);
  const asked: Request[] = [];
  let open: Warehouse | undefined;
  const context: ExportContext = {
    service,
    network,
    runId: 'run',
    places: { origin: 'http://127.0.0.1', hosts: [] },
    signal: new AbortController().signal,
    note: () => {},
    async fetch(request) {
      asked.push(request);
      return { body: await answer(request), fetchedAt: 0, bytes: 0 };
    },
    async withState(work) {
      open = await openWarehouse({ folder, tables });
      try {
        return await work(open);
      } finally {
        open.close();
      }
    },
  };
  const posts = () => asked.filter(({ kind }) => kind === 'post').length;
  return { folder, context, asked, posts, kill: () => open?.close() };
}

const operation = (operationId: string, operationStatus: string, metadata?: object) => ({
  operationId,
  operationType: 'TRANSACTION_EXPORT_EVM',
  operationStatus,
  ...(metadata && { metadata }),
  createdAtTimestamp: 1,
  updatedAtTimestamp: 1,
});

test('a kill between the request and its answer leaves a mark: no second request by itself', async () => {
  const { context, posts, kill } = await surroundings(() => {
    kill();
    return operation('one', 'RUNNING');
  });
  await expect(startExport(context, body, {})).rejects.toThrow();
  await expect(startExport(context, body, {})).rejects.toThrow('does not ask for it again by itself');
  expect(posts()).toBe(1);
});

test('only --again asks once more where the answer never came', async () => {
  let answers = 0;
  const { context, posts } = await surroundings(() => {
    answers++;
    if (answers === 1) throw new FirnError('unavailable', 'reset', { retryable: true, context: { acted: true } });
    return operation('two', 'RUNNING');
  });
  await expect(startExport(context, body, {})).rejects.toThrow('reset It is not known whether export');
  const { state } = await startExport(context, body, { again: true });
  expect(state.parts.map(({ operationId }) => operationId)).toEqual([null, 'two']);
  expect(posts()).toBe(2);
});

test.each([
  ['refused', new FirnError('refused', 'No.', { context: { acted: false } })],
  ['rate_limited', new FirnError('rate_limited', 'Later.')],
])('a request that surely was not carried out (%s) may be sent again', async (_, error) => {
  let fails = true;
  const { context, posts } = await surroundings(() => {
    if (fails) throw error;
    return operation('one', 'RUNNING');
  });
  await expect(startExport(context, body, {})).rejects.toBe(error);
  const known = await context.withState((warehouse) => findExport(warehouse, service, undefined));
  await expect(followExport(context, known, { waitMs: 0 })).rejects.toThrow(
    `is not under way: ${error.message} Then ask for it again with "firn export start".`,
  );
  fails = false;
  expect((await startExport(context, body, {})).isNew).toBe(true);
  expect(posts()).toBe(2);
});

test('without a name the export is meant that was asked for last, whichever was looked at since', async () => {
  const { context } = await surroundings(() => operation(`${++started}`, 'RUNNING'));
  let started = 0;
  const [first, second] = [
    (await startExport(context, body, {})).state,
    (await startExport(context, { ...body, lastDate: '2026-01-30' }, {})).state,
  ];
  await context.withState((warehouse) => saveExport(warehouse, context, first, withPart(first, { said: 'Half.' })));
  const found = await context.withState((warehouse) => findExport(warehouse, service, undefined));
  expect(found.id).toBe(second.id);
});

test('words that nobody knows are waited for with a note, also where there is a file already', {
  tags: 'long',
}, async () => {
  const words = ['QUEUED', 'UPLOADING', 'RUNNING', 'COMPLETED'];
  const { context, asked } = await surroundings((request) => {
    if (request.kind === 'post') return operation('one', 'ACCEPTED');
    const word = words.shift() ?? '';
    return operation('one', word, word === 'QUEUED' ? {} : { downloadUrl: 'http://x/y?signature=z', other: 1 });
  });
  const { state } = await startExport(context, body, {});
  const notes: string[] = [];
  const done = await followExport({ ...context, note: (line) => notes.push(line) }, state, { waitMs: 60_000 });
  expect(notes).toEqual([
    expect.stringMatching(/one is QUEUED, a word/),
    expect.stringMatching(/one is UPLOADING, a word/),
  ]);
  expect(done.parts).toMatchObject([{ status: 'COMPLETED', outcome: 'done' }]);
  expect(asked).toHaveLength(5);
  const rows = await context.withState((warehouse) =>
    warehouse.query('SELECT operation_status, metadata_download_url AS url, _extra FROM raw.data_operations'),
  );
  expect(rows).toEqual([{ operation_status: 'COMPLETED', url: 'http://x/y', _extra: '{"metadata":{"other":1}}' }]);
});

test.each([
  ['an earlier date', '2025-12-31'],
  ['the same date', '2026-01-01'],
  ['no date', 'tomorrow'],
  ['not there', undefined],
])(
  'an export that was cut off and cannot go on is not complete, and can be taken as it is: nextDate is %s',
  async (_, nextDate) => {
    const { context } = await surroundings((request) =>
      operation('one', request.kind === 'post' ? 'RUNNING' : 'COMPLETED_WITH_WARNING', {
        code: 'WarnTruncatedExport',
        nextDate,
        downloadUrl: 'http://x',
      }),
    );
    const { state } = await startExport(context, body, {});
    const followed = await followAsFarAsItGoes(context, state, { waitMs: 60_000 });
    expect(followed).toMatchObject({
      state: { id: state.id, parts: [{ operationId: 'one', outcome: 'done' }] },
      failure: { code: 'contract', message: expect.stringContaining(`firn export download ${state.id}`) },
    });
    await expect(followExport(context, followed.state, { waitMs: 60_000 })).rejects.toMatchObject({ code: 'contract' });
  },
);

test.each([
  ['is asked for where it is what is left', '2026-01-31', ['2026-01-01', '2026-01-31']],
  ['ends it', '2026-02-01T00:00:00Z', ['2026-01-01']],
])('the last date of a truncated export %s', async (_, nextDate, begins) => {
  let last = 0;
  const sent: unknown[] = [];
  const { context } = await surroundings((request) => {
    if (request.kind === 'post') {
      sent.push(request.body);
      return operation(`${++last}`, 'RUNNING');
    }
    const rest = last === 1 ? { nextDate } : {};
    return operation(`${last}`, 'COMPLETED_WITH_WARNING', { ...rest, downloadUrl: 'http://x' });
  });
  const { state } = await startExport(context, body, {});
  const { parts } = await followExport(context, state, { waitMs: 60_000 });
  expect(parts.map(({ firstDate }) => firstDate)).toEqual(begins);
  const bodies = begins.map((firstDate) => ({ ...body, firstDate }));
  expect(sent).toEqual(bodies);
  const kept = await context.withState((warehouse) =>
    warehouse.query<{ request: string }>('SELECT request FROM raw.data_operations ORDER BY part'),
  );
  expect(kept.map(({ request }) => JSON.parse(request))).toEqual(bodies);
});

test('the rest of a truncated export that was refused is asked for again, and nothing that is there', async () => {
  let last = 0;
  const sent: unknown[] = [];
  const { context, asked } = await surroundings((request) => {
    if (request.kind !== 'post')
      return operation(`${last}`, 'COMPLETED', last === 1 ? { nextDate: '2026-01-11' } : undefined);
    sent.push((request.body as typeof body).firstDate);
    if (sent.length === 2) throw new FirnError('refused', 'No.', { context: { acted: false } });
    return operation(`${++last}`, 'RUNNING');
  });
  const { state } = await startExport(context, body, {});
  await expect(followAsFarAsItGoes(context, state, { waitMs: 60_000 })).rejects.toMatchObject({ code: 'refused' });
  const again = await startExport(context, body, {});
  const done = await followExport(context, again.state, { waitMs: 60_000 });
  expect(done.parts.map(({ outcome }) => outcome)).toEqual(['done', 'failed', 'done']);
  expect(sent).toEqual(['2026-01-01', '2026-01-11', '2026-01-11']);
  const before = asked.length;
  expect([await refreshExport(context, done), asked.length]).toEqual([done, before]);
  const rows = await context.withState((warehouse) =>
    warehouse.query('SELECT operation_id AS id, part FROM raw.data_operations ORDER BY 1'),
  );
  expect(rows).toEqual([
    { id: '1', part: 1 },
    { id: '2', part: 3 },
  ]);
});

test('an export that is there is asked for once more only where that is wanted, as one of its own', async () => {
  let last = 0;
  const { context, posts } = await surroundings(() => operation(`${++last}`, 'RUNNING'));
  const start = async (again: boolean) => {
    const { state, isNew } = await startExport(context, body, { again });
    return [state.id, state.parts.map(({ operationId }) => operationId), isNew];
  };
  const [id] = await start(false);
  expect([await start(true), await start(true), await start(false)]).toEqual([
    [`${id}-2`, ['2'], true],
    [`${id}-3`, ['3'], true],
    [`${id}-3`, ['3'], false],
  ]);
  expect(posts()).toBe(3);
  const found = await context.withState((warehouse) => findExport(warehouse, service, '2'));
  expect(found.id).toBe(`${id}-2`);
});

test('an operation is taken on as an export that was not asked for here, and has no place in one that has its own', async () => {
  const { context, posts } = await surroundings(() => operation('one', 'RUNNING'));
  const { state } = await startExport(context, body, { operationId: 'one' });
  expect(state.parts).toMatchObject([{ operationId: 'one', outcome: 'running', firstDate: body.firstDate }]);
  await expect(startExport(context, body, { operationId: 'one' })).rejects.toMatchObject({ code: 'usage' });
  expect(posts()).toBe(0);
});

test('an answer about another operation, or none, is refused', async () => {
  const { context } = await surroundings(({ kind }) =>
    kind === 'post' ? operation('one', 'RUNNING') : operation('two', 'RUNNING'),
  );
  const { state } = await startExport(context, body, {});
  await expect(followExport(context, state, { waitMs: 0 })).rejects.toMatchObject({ code: 'contract' });
  expect(() => service.state({ operationId: 'x' })).toThrow('without operationId and operationStatus');
});

test.each(['.', '..', '\ud800'])('the id %j, which no request can name, is refused', (operationId) => {
  expect(() => service.state({ operationId, operationStatus: 'RUNNING' })).toThrow('that cannot be asked about');
});

async function loaded(context: ExportContext, folder: string, files: Readonly<Record<string, string>>) {
  const counts: { rows: number; quarantined: number }[] = [];
  for (const [operationId, csv] of Object.entries(files)) {
    const file = join(folder, operationId);
    await writeFile(file, csv);
    const sha256 = createHash('sha256').update(csv).digest('hex');
    counts.push(
      await context.withState((warehouse) =>
        loadExportRows(context, warehouse, { exportId: 'export', operationId, file, sha256, maxBytes: 1e9 }),
      ),
    );
  }
  const rows = await context.withState((warehouse) =>
    warehouse.query<{ cells: string }>('SELECT cells FROM raw.data_export_rows ORDER BY cells'),
  );
  return { counts, rows: rows.map(({ cells }) => JSON.parse(cells)) };
}

test('rows that stand in two parts are one row; rows that a file holds twice are two', async () => {
  const { context, folder } = await surroundings(() => undefined);
  const { rows, counts } = await loaded(context, folder, {
    one: 't,v\n2026-01-01,a\n2026-01-01,a\n2026-01-02,b\n',
    two: 't,v\n2026-01-02,b\n2026-01-02,b\n2026-01-03,c\n',
  });
  expect(rows.map(({ v }) => v)).toEqual(['a', 'a', 'b', 'b', 'c']);
  expect(counts).toEqual([
    { rows: 3, quarantined: 0 },
    { rows: 3, quarantined: 0 },
  ]);
});

test('what is common is read from columns of any likely name; the rest stays as it is', async () => {
  const { context, folder } = await surroundings(() => undefined);
  const header = 'Block Timestamp,TX_HASH,From,To,Amount,x,x';
  const from = `0x${'Ab'.repeat(20)}`;
  await loaded(context, folder, {
    one: `${header}\n2026-01-08 08:35:01.5,0xAA,${from},somebody,1.5,"quo""te, \n🦊",two\n1767861301,h,,,,,\nnever,h,,,,,\n`,
  });
  const rows = await context.withState((warehouse) =>
    warehouse.query(
      'SELECT row_time, tx_hash, from_address, to_address, amount_text FROM raw.data_export_rows ORDER BY row_number',
    ),
  );
  expect(rows).toEqual([
    {
      row_time: '2026-01-08 08:35:01.5',
      tx_hash: '0xAA',
      from_address: from.toLowerCase(),
      to_address: null,
      amount_text: '1.5',
    },
    { row_time: '2026-01-08 08:35:01', tx_hash: 'h', from_address: null, to_address: null, amount_text: null },
    { row_time: null, tx_hash: 'h', from_address: null, to_address: null, amount_text: null },
  ]);
  const [first] = await context.withState((warehouse) =>
    warehouse.query<{ cells: string }>('SELECT cells FROM raw.data_export_rows ORDER BY row_number'),
  );
  expect(JSON.parse(first?.cells ?? '')).toMatchObject({ To: 'somebody', x: 'quo"te, \n🦊', 'x (2)': 'two' });
});

test('rows with too many or too few cells go to quarantine with the reason', async () => {
  const { context, folder } = await surroundings(() => undefined);
  const { rows, counts } = await loaded(context, folder, { one: 'a,b\n1,2\n1\n1,2,3\n' });
  expect([rows.length, counts]).toEqual([1, [{ rows: 3, quarantined: 2 }]]);
  const held = await context.withState((warehouse) =>
    warehouse.query('SELECT record, reason FROM firn.quarantine ORDER BY 1'),
  );
  expect(held).toEqual([
    { record: '["1","2","3"]', reason: 'row 3 has 3 cells, the header has 2' },
    { record: '["1"]', reason: 'row 2 has 1 cells, the header has 2' },
  ]);
});

test('a file that is damaged at its end leaves no row, and the whole one after it has all of its own', {
  tags: 'long',
}, async () => {
  const { context, folder } = await surroundings(() => undefined);
  const lines = (word: string) =>
    `t,v\n${Array.from({ length: 25_000 }, (_, i) => `2026-01-01,${word} ${i}`).join('\n')}\n`;
  const file = join(folder, 'one');
  const load = () =>
    context.withState((warehouse) =>
      loadExportRows(context, warehouse, {
        exportId: 'export',
        operationId: 'one',
        file,
        sha256: 'one',
        maxBytes: 1e9,
      }),
    );
  await writeFile(file, archive([{ name: 'a.csv', content: lines('bad'), crc: 1 }]));
  await expect(load()).rejects.toMatchObject({ code: 'contract' });
  await writeFile(file, archive([{ name: 'a.csv', content: lines('good') }]));
  expect(await load()).toEqual({ rows: 25_000, quarantined: 0 });
  const rows = await context.withState((warehouse) =>
    warehouse.query("SELECT count(*) AS n FROM raw.data_export_rows WHERE cells::VARCHAR LIKE '%good%'"),
  );
  expect(rows).toEqual([{ n: 25_000n }]);
});

/** Ends a load of a file after its first commit, of 10,000 rows: the signal is looked at before each. */
function stoppedAfterOne(context: ExportContext): ExportContext {
  const stop = new AbortController();
  const rowRecord: typeof service.rowRecord = (header, cells, place) => {
    if (place.rowNumber > 10_000) stop.abort();
    return service.rowRecord(header, cells, place);
  };
  return { ...context, signal: stop.signal, service: { ...service, rowRecord } };
}

test('a batch of long rows, or of long names, is committed before it has many', { tags: 'long' }, async () => {
  const long = 'x'.repeat(1_000_000);
  const { context, folder } = await surroundings(() => undefined);
  await loaded(context, folder, { one: `a\n${`${long}\n`.repeat(20)}`, two: `${long}\n${'y\n'.repeat(20)}` });
  const loads = await context.withState((warehouse) =>
    warehouse.query('SELECT max(rows_written) AS most, sum(rows_written)::INTEGER AS rows FROM firn.load'),
  );
  expect(loads).toEqual([{ most: 16n, rows: 40 }]);
});

test('a stop is heard at the next row', async () => {
  const stop = new AbortController();
  let made = 0;
  const rowRecord: typeof service.rowRecord = (header, cells, place) => {
    made++;
    stop.abort();
    return service.rowRecord(header, cells, place);
  };
  const { context, folder } = await surroundings(() => undefined);
  const stopped = { ...context, signal: stop.signal, service: { ...service, rowRecord } };
  await expect(loaded(stopped, folder, { one: `a\n${'1\n'.repeat(9)}` })).rejects.toMatchObject({
    code: 'interrupted',
  });
  expect(made).toBe(1);
});

test('loading goes on where a kill ended it', { tags: 'long' }, async () => {
  const lines = Array.from({ length: 25_000 }, (_, i) => `2026-01-01,${i % 20_000}`);
  const file = `t,v\n${lines.join('\n')}\n`;
  const { context, folder } = await surroundings(() => undefined);
  await expect(loaded(stoppedAfterOne(context), folder, { one: file })).rejects.toMatchObject({ code: 'interrupted' });
  const [half] = await context.withState((warehouse) =>
    warehouse.query('SELECT count(*) AS n FROM raw.data_export_rows'),
  );
  expect(half).toEqual({ n: 10_000n });
  const { rows, counts } = await loaded(context, folder, { one: file });
  expect([rows.length, counts]).toEqual([25_000, [{ rows: 25_000, quarantined: 0 }]]);
  const again = await loaded(context, folder, { one: file });
  expect(again.rows).toHaveLength(25_000);
});

test('a file that is another one than the one begun is loaded from its first row on', { tags: 'long' }, async () => {
  const lines = Array.from({ length: 12_000 }, (_, i) => `2026-01-01,${i}`);
  const { context, folder } = await surroundings(() => undefined);
  const one = (rows: readonly string[]) => ({ one: `t,v\n${rows.join('\n')}\n` });
  await expect(loaded(stoppedAfterOne(context), folder, one(lines))).rejects.toMatchObject({ code: 'interrupted' });
  const { rows } = await loaded(context, folder, one(['2026-01-02,late', ...lines.toReversed()]));
  expect(rows).toHaveLength(12_001);
});

/** An export whose file is here, and whose first request was refused, with its rows that a warehouse holds. */
async function downloaded() {
  const { folder, context } = await surroundings(() => operation('one', 'COMPLETED', { downloadUrl: 'http://x/y' }));
  const { state: asked } = await startExport(context, body, {});
  const path = join(folder, 'one.csv');
  await writeFile(path, 'txHash,note\n0x1,a\n0x2,b\n');
  const { parts } = withPart(asked, { file: { path, bytes: 1, sha256: 'one' } });
  const state: ExportState = {
    ...asked,
    parts: [...withPart(asked, { operationId: null, outcome: 'failed' }).parts, ...parts],
  };
  await context.withState((warehouse) => saveExport(warehouse, context, asked, state));
  const download = (from = state) => downloadExport(context, from, { folder, maxBytes: 1000, load: true });
  const rows = () => context.withState((warehouse) => warehouse.query(`SELECT 1 FROM ${service.rows.table.name}`));
  /** What a kill leaves once one row is committed. */
  const begin = () =>
    context.withState((warehouse) =>
      warehouse.run(
        `INSERT INTO firn.checkpoint VALUES ('${service.rows.id}', 'export_id=${state.id},operation_id=one', '{"rows":1,"sha256":"one"}', 1, now()::TIMESTAMP)`,
      ),
    );
  return { context, download, rows, begin };
}

test('rows that could not be read are counted over all files; where a folder is named, a file is fetched to it that is loaded', async () => {
  const { folder, context } = await surroundings(() => operation('one', 'COMPLETED', { downloadUrl: 'http://[' }));
  const { state: started } = await startExport(context, body, {});
  const path = join(folder, 'ragged.csv');
  await writeFile(path, 'txHash,note\n0x1\n');
  const { parts } = withPart(started, { file: { path, bytes: 1, sha256: 'one' } });
  const state = { ...started, parts: [...parts, ...parts.map((part) => ({ ...part, operationId: 'two' }))] };
  await context.withState((warehouse) => saveExport(warehouse, context, started, state));
  const options = { folder, maxBytes: 1000, load: true };
  const loaded = await downloadExport(context, state, options);
  expect(loaded.quarantined).toBe(2);
  const elsewhere = downloadExport(context, loaded.state, { ...options, folder: join(folder, 'named'), isNamed: true });
  await expect(elsewhere).rejects.toThrow('names no file to download');
});

test('rows that were dropped are loaded again from their file', { tags: 'long' }, async () => {
  const { context, download, rows } = await downloaded();
  const { state: loaded } = await download();
  await context.withState((warehouse) => dropStream(warehouse, [service.rows], service.rows.id));
  await download(loaded);
  expect(await rows()).toHaveLength(2);
});

test('rows that were dropped are loaded to the last one, though a kill left the end out once they were', {
  tags: 'long',
}, async () => {
  const { context, download, rows, begin } = await downloaded();
  const { state: loaded } = await download();
  await context.withState((warehouse) => dropStream(warehouse, [service.rows], service.rows.id));
  await begin();
  await download(loaded);
  expect(await rows()).toHaveLength(1);
});

test('a file of which a kill left the end out is not taken for one that was loaded', { tags: 'long' }, async () => {
  const { download, rows, begin } = await downloaded();
  await begin();
  expect((await download()).state.parts).toMatchObject([{ rows: null }, { rows: 2 }]);
  expect(await rows()).toHaveLength(1);
});

test('a row that stands in two files is there again once it was dropped with one of them', {
  tags: 'long',
}, async () => {
  const { context, folder } = await surroundings(() => undefined);
  const file = 't,v\n2026-01-01,a\n';
  await loaded(context, folder, { one: file, two: file });
  const { id } = service.rows;
  const two = 'export_id=export,operation_id=two';
  await context.withState((warehouse) => dropStream(warehouse, [service.rows], id, { partition: two }));
  expect((await loaded(context, folder, { one: file })).rows).toEqual([{ t: '2026-01-01', v: 'a' }]);
});
