import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Table } from '../../core/columns/table.ts';
import { FirnError } from '../../core/firnError.ts';
import { partitionName } from '../../core/partitionName.ts';
import { literal } from '../../core/text/sqlText.ts';
import { type OpenBackfill, openBackfills } from '../../load/bookkeeping/openBackfills.ts';
import { type Begun, readBegun } from '../../load/commit/begun.ts';
import { openDuckDb } from '../../load/database/openDuckDb.ts';
import { queryOf, type Statements } from '../../load/database/transaction.ts';
import { diskError } from '../../load/diskError.ts';
import { fittingTables } from '../../load/state/ensureTables.ts';
import { schemaVersion } from '../../load/state/migrate.ts';
import { openError } from '../../load/state/openError.ts';
import { stateFile } from '../../load/state/stateFile.ts';
import { readRunState } from '../records/runState.ts';

/** What a state database says, without changing it. */
export interface StateFacts {
  readonly schemaVersion: number;
  /** What the first sync pinned; null before it. */
  readonly network: { readonly id: number | null; readonly name: string } | null;
  /** EVM chain id by name in the node's paths. */
  readonly chains: Readonly<Record<string, string>>;
  /** Hash of the genesis by the same name, in lower case. */
  readonly genesis: Readonly<Record<string, string>>;
  /** What was read, by `partitionName`. */
  readonly read: ReadonlySet<string>;
  /** From where on partitions were read, of a state that is new enough to say it. */
  readonly begun: Begun;
  /** The first position of which only a part was taken, where no sync reads the rest: of a cluster's state. */
  readonly partFrom?: ReadonlyMap<string, number>;
  /** Backfills that are not over: of a state of this machine. */
  readonly backfills?: readonly OpenBackfill[];
  /** Compute units used today (UTC), by source. */
  readonly used: Readonly<Record<string, number>>;
}

/**
 * Reads the state of a warehouse without migrating or writing anything; null where there is none yet. A run under way is not
 * disturbed: nothing is then opened.
 *
 * @param tables raw tables as they are declared
 * @throws FirnError `locked` with the holder · `newer_warehouse`, also where rows do not fit these tables, `disk`, or `failed` for a damaged one
 */
export async function readState(folder: string, tables: readonly Table[]): Promise<StateFacts | null> {
  const running = await readRunState(folder);
  if (running) {
    const { pid, command, phase, since } = running;
    throw new FirnError('locked', `Process ${pid} holds the warehouse: firn ${command}, in ${phase}, since ${since}.`);
  }
  const file = stateFile(folder);
  try {
    await access(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    // Another user's folder may hold it, which this one may not look into.
    throw diskError(error, `read ${file}`);
  }
  return reading(file, (connection) => read(connection, tables));
}

/** Gives rows of a state, opened for each question alone: a run that begins in between finds it free. @throws FirnError as `readState` does */
export const queryState =
  (folder: string): Statements['query'] =>
  (sql, values) =>
    reading(stateFile(folder), (connection) => queryOf(connection)(sql, values));

async function reading<T>(file: string, read: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  const { connection, close } = await openDuckDb({ folders: [dirname(file)] });
  try {
    await connection.run(`ATTACH ${literal(file)} AS state (READ_ONLY); USE state;`);
    return await read(connection);
  } catch (error) {
    throw error instanceof FirnError ? error : await openError(error, file);
  } finally {
    close();
  }
}

async function read(connection: DuckDBConnection, tables: readonly Table[]): Promise<StateFacts> {
  const rows = queryOf(connection);
  const [version] = await rows('SELECT max("version") AS v FROM main.firn_schema_version');
  // What is older is changed first.
  if (Number(version?.['v']) === (await schemaVersion())) await fittingTables(connection, tables);
  const [network] = await rows('SELECT network_id, network FROM firn.network');
  const chains = await rows(`SELECT alias, chain_id, lower(genesis_hash) AS genesis FROM firn.chain WHERE vm = 'evm'`);
  const positions = await rows('SELECT stream, "partition" FROM firn.checkpoint');
  const used = await rows(`SELECT source, units FROM firn.quota WHERE "day" = (now() AT TIME ZONE 'UTC')::DATE`);
  const says = await rows("SELECT 1 FROM duckdb_tables() WHERE database_name = 'state' AND table_name = 'begun'");
  const begun = says.length > 0 ? await readBegun(rows) : new Map<string, string>();
  return {
    begun,
    backfills: await openBackfills(rows),
    schemaVersion: Number(version?.['v']),
    network: network ? { id: network['network_id'] as number | null, name: String(network['network']) } : null,
    chains: Object.fromEntries(chains.map(({ alias, chain_id }) => [String(alias), String(chain_id)])),
    genesis: Object.fromEntries(
      chains.flatMap(({ alias, genesis }) => (genesis === null ? [] : [[String(alias), String(genesis)]])),
    ),
    read: new Set(positions.map(({ stream, partition }) => partitionName(String(stream), String(partition)))),
    used: Object.fromEntries(used.map(({ source, units }) => [String(source), Number(units)])),
  };
}
