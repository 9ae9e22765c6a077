import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import type { Lease, Ledger, LedgerCommit, Note, Stage } from '../../../src/cluster/contract.ts';
import { recall } from '../../../src/cluster/worker/recall.ts';
import { stagingWarehouse } from '../../../src/cluster/worker/stagingWarehouse.ts';
import { partitionKey } from '../../../src/core/stream/partition.ts';
import { type Child, type Stream, tablesOf } from '../../../src/core/stream/stream.ts';
import { commitBatch } from '../../../src/load/commit/commit.ts';
import { recordKey } from '../../../src/load/commit/recordKey.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { batchOf, partition, transfer, transfersStream } from '../../load/transfers.ts';

/** What the ledger tells of a partition of which nothing is noted. */
const nothing = { waiting: async () => [], knownMembers: async () => [], dropped: async () => [] };

/** Recalls a row of a table as a version wrote it that lacked a column and had what `more` selects. `other`: tables it had besides. */
async function recalled(id: string, table: string, lacking: string, more = '', other: readonly string[] = []) {
  const stream = catalogue.find((one) => one.id === id) as Stream;
  const scratch = await temporaryWarehouse(tablesOf([stream]));
  const columns = await scratch.query<{ name: string; type: string }>(
    `SELECT column_name AS name, column_type AS type FROM (DESCRIBE ${table}) WHERE column_name <> '${lacking}'`,
  );
  const old = columns.map(({ name, type }) => {
    const value = type === 'TIMESTAMP' ? '2026-01-01' : type.endsWith('[]') ? '[]' : '1';
    return `CAST('${value}' AS ${type}) AS "${name}"`;
  });
  const path = join(scratch.folder, 'old.parquet');
  await scratch.run(`COPY (SELECT ${old.join(', ')}${more}) TO '${path}'`);
  const memory = [table, ...other].map((name) => ({ table: name, uri: 'x' }));
  const lease = { stream: id, partition: 'p', cursor: null, memory } as unknown as Lease;
  const stage = { fetch: (_: unknown, to: string) => copyFile(path, to) } as unknown as Stage;
  await recall(scratch, { stream, lease, ledger: nothing as unknown as Ledger, stage });
  return scratch;
}

test('rows of a version that did not number those that are alike have the first number', async () => {
  const table = 'raw.data_primary_transactions_evm_outputs';
  const scratch = await recalled('data/primary_transactions', table, 'position');
  expect(await scratch.query(`SELECT "position" FROM ${table}`)).toEqual([{ position: 0 }]);
});

test('rows of a version with another column, another table and without a column that is required now are recalled', async () => {
  const table = 'raw.node_platform_validators';
  const scratch = await recalled('node/platform_validators', table, 'weight', ', 1 AS was_here', ['raw.node_was_here']);
  expect(await scratch.query(`SELECT weight FROM ${table}`)).toEqual([{ weight: null }]);
});

/** A record that waits in quarantine, as the ledger tells of it. */
function entryOf(stream: Stream, partition: string, id: number, more: object = {}): Note {
  const [at, of] = ['2026-01-01', { stream: stream.id, partition, reason: 'why' }];
  const entry = { id, load_id: 1, number: 0, ...of, record: '', record_hash: 'a', record_key: null, position: 7 };
  const seen = { quarantined_at: at, last_seen_at: at, last_load_id: 1, accepted_at: null, accepted_because: null };
  return { ...entry, ...seen, ...more } as Note;
}

test('what waits in quarantine is held without what it says', async () => {
  const stream = catalogue.find(({ id }) => id === 'node/evm_blocks') as Stream;
  const scratch = await temporaryWarehouse(tablesOf([stream]));
  const lease = { stream: stream.id, partition: 'p', cursor: null, memory: [] } as unknown as Lease;
  const waiting = async () => [entryOf(stream, 'p', 1)];
  const ledger = {
    ...nothing,
    waiting,
    newestLoad: async () => 5,
  } as unknown as Ledger;
  await recall(scratch, { stream, lease, ledger, stage: {} as Stage });
  const held = 'SELECT record, "position"::INTEGER AS "at" FROM firn.quarantine';
  expect(await scratch.query(held)).toEqual([{ record: '', at: 7 }]);
});

test('of records that answers show in parts those alone are asked for whose rows were read', async () => {
  const whole = transfersStream();
  const [[name, child]] = Object.entries(whole.children) as [[string, Child]];
  const stream: Stream = { ...whole, children: { [name]: { ...child, write: 'union' } } };
  const scratch = await temporaryWarehouse(tablesOf([stream]));
  const says = [1, 2].map((height) => JSON.stringify({ ...transfer(height, ['7']), value: 'much' }));
  const keys = says.map((record) => recordKey(stream, partition, record));
  const asked: (readonly bigint[])[] = [];
  const commits: LedgerCommit[] = [];
  const ledger = {
    ...nothing,
    waiting: async () => keys.map((record_key, i) => entryOf(stream, partitionKey(partition), i + 1, { record_key })),
    newestLoad: async () => 5,
    wasRead: async () => true,
    nextBatch: async () => 9,
    async records(ids: readonly bigint[]) {
      asked.push(ids);
      return new Map(ids.map((id) => [id, says[Number(id) - 1]]));
    },
    async commit(_: Lease, commit: LedgerCommit) {
      commits.push(commit);
      return 'ok';
    },
  } as unknown as Ledger;
  const stage = { write: async () => ({}) } as unknown as Stage;
  const lease = { stream: stream.id, partition: partitionKey(partition), cursor: null, memory: [] } as unknown as Lease;
  const warehouse = await stagingWarehouse(scratch, { stream, partition, lease, ledger, stage });
  const batch = batchOf(stream, [transfer(1, ['7'])]);
  await commitBatch(warehouse, { stream, partition, runId: 'run', batch, from: null, to: null });
  expect([asked, commits.map(({ resolved }) => resolved)]).toEqual([[[1n]], [[keys[0]]]]);
});
