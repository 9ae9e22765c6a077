import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { stringify } from 'yaml';
import { placeState } from '../placeState.ts';
import { temporary } from '../temporaryFolders.ts';
import { type Captured, runFirn } from './firnProcess.ts';

/** A folder with a configuration and an empty state, in which the command line is run. Gone after the tests of the file. */
export interface Workspace {
  readonly folder: string;
  readonly config: string;
  /** Runs `firn --config <config> <args>` in a process of its own. */
  firn(...args: string[]): Promise<Captured>;
  /** Rows of the state database, while nothing runs. */
  state(sql: string): Promise<Record<string, unknown>[]>;
  /** Replaces the configuration. */
  configure(configuration: object): Promise<void>;
}

/**
 * @param configuration `firn.yaml` but for the warehouse, which is the folder `warehouse` beside it
 * @param isNew without the state: what no command has touched yet
 */
export async function workspace(configuration: object, { isNew = false } = {}): Promise<Workspace> {
  const folder = await temporary();
  const config = join(folder, 'firn.yaml');
  const configure = (next: object) => writeFile(config, stringify({ warehouse: './warehouse', ...next }));
  await configure(configuration);
  if (!isNew) await placeState(join(folder, 'warehouse'));
  return {
    folder,
    config,
    configure,
    firn: (...args) => runFirn(['--config', config, ...args], { cwd: folder }),
    state: (sql) => queryFile(join(folder, 'warehouse', '.state', 'firn.duckdb'), sql),
  };
}

/** Rows of a database file. */
export async function queryFile(file: string, sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run(`ATTACH '${file}' AS state (READ_ONLY); USE state;`);
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** A configuration that reads everything from one address. */
export function atOneAddress(url: string, streams: Readonly<Record<string, object>>): object {
  return {
    sources: { node: { url }, data: { url, network: 'fuji' }, metrics: { url } },
    pipelines: { main: { streams } },
  };
}
