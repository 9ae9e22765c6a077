import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { FirnError } from '../../src/core/firnError.ts';
import { literal } from '../../src/core/text/sqlText.ts';
import { mainFile, packageRoot } from '../../src/load/packageFiles.ts';
import type { Case } from './cases.ts';
import { type Command, measureProcess } from './measureProcess.ts';
import type { Served } from './servers/serve.ts';

/** One run of a side: an empty folder of its own, and what it reads. */
interface Run {
  readonly case: Case;
  readonly rows: number;
  readonly served: Served;
  readonly folder: string;
}

/** Someone who reads what is served, as a process of its own. */
interface Side {
  /** Makes the folder ready; this is not measured. */
  prepare?(run: Run): Promise<void>;
  command(run: Run): Omit<Command, 'folder'>;
  /** How many rows of the counted kind it left; by default it says so in its last line. Throws where it did not do its work. */
  count?(run: Run): Promise<number>;
  /** For a side that is not part of the package: what must be installed below `peers`, and how. */
  readonly needs?: { readonly file: string; readonly install: string };
}

export type SideName =
  | 'limit'
  | 'node alone'
  | 'firn'
  | 'firn run'
  | 'firn --version'
  | 'firn status'
  | 'dlt'
  | 'cryo'
  | 'SDK loop'
  | 'viem loop';

const node = (...args: string[]) => ({ file: process.execPath, args });
const firn = (...args: string[]) => node(mainFile(), '--config', 'firn.yaml', '--quiet', ...args);
const configure = ({ folder, served }: Run) => writeFile(join(folder, 'firn.yaml'), served.configuration);

const peersFolder = () => join(packageRoot(), 'test', 'bench', 'peers');
const python = {
  file: '.venv/bin/python',
  install: 'python3 -m venv .venv && .venv/bin/pip install --requirement requirements.txt',
};
const npm = (name: string) => ({
  file: `node_modules/${name}/package.json`,
  install: 'npm install --no-package-lock',
});
const inPython = (script: string, ...args: string[]) => ({
  file: join(peersFolder(), python.file),
  args: [join(peersFolder(), script), ...args],
});

export const sides: Readonly<Record<SideName, Side>> = {
  limit: {
    command: ({ case: { serving }, rows, served: { url, paths } }) => {
      const kind = paths.length > 0 ? 'pages' : /containers/i.test(serving) ? 'containers' : 'blocks';
      const what = kind === 'pages' ? paths : [String(rows), ...(serving === 'tracedBlocks' ? ['traces'] : [])];
      return node(fileURLToPath(new URL('limit.js', import.meta.url)), url, kind, ...what);
    },
  },
  'node alone': { command: () => node('--eval', '0'), count: async () => 0 },
  firn: { prepare: configure, command: () => firn('sync'), count: countStored },
  'firn run': { prepare: configure, command: () => firn('run'), count: countStored },
  'firn --version': { command: () => node(mainFile(), '--version'), count: async () => 0 },
  'firn status': {
    async prepare(run) {
      await configure(run);
      await measureProcess({ ...firn('sync'), folder: run.folder });
    },
    command: () => firn('status'),
    count: countStored,
  },
  dlt: { needs: python, command: ({ served: { url, paths } }) => inPython('dlt_pages.py', url, ...paths) },
  cryo: {
    needs: python,
    command: ({ served: { url }, rows }) => inPython('cryo_blocks.py', url, String(rows)),
    count: async ({ folder, served: { stored } }) => {
      const kinds = ['blocks', 'transactions', 'logs'];
      const rows = await counts(
        folder,
        kinds.map((kind) => `read_parquet('*__${kind}__*.parquet')`),
      );
      return checked(
        kinds.map((kind) => `node_evm_${kind}`),
        rows,
        stored,
      );
    },
  },
  'SDK loop': {
    needs: npm('@avalanche-sdk/chainkit'),
    command: ({ served: { url, paths } }) => node(join(peersFolder(), 'sdkPages.js'), url, ...paths),
  },
  'viem loop': {
    needs: npm('viem'),
    command: ({ served: { url }, rows }) => node(join(peersFolder(), 'viemBlocks.js'), url, String(rows)),
  },
};

/** The line that installs a side, where it is not there. */
export function missing({ needs }: Side): string | undefined {
  if (!needs || existsSync(join(peersFolder(), needs.file))) return undefined;
  return `(cd test/bench/peers && ${needs.install})`;
}

/** @throws FirnError `failed` where a table of the warehouse has not exactly the rows that were served */
async function countStored({ folder, served: { stored } }: Run): Promise<number> {
  const state = literal(join(folder, '.state', 'firn.duckdb'));
  const tables = Object.keys(stored);
  const rows = await counts(
    folder,
    tables.map((table) => `state.raw.${table}`),
    `ATTACH ${state} AS state (READ_ONLY)`,
  );
  return checked(tables, rows, stored);
}

/** The rows of the first table, where all have what was served. */
function checked(tables: readonly string[], rows: readonly number[], stored: Served['stored']): number {
  for (const [i, table] of tables.entries()) {
    if (rows[i] === stored[table]) continue;
    throw new FirnError('failed', `${table} has ${rows[i]} rows, ${stored[table]} were served.`);
  }
  return rows[0] ?? 0;
}

async function counts(folder: string, from: readonly string[], before = ''): Promise<number[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run(`SET file_search_path = ${literal(folder)}; ${before}`);
    const selects = from.map((source) => `(SELECT count(*) FROM ${source})`);
    const [row = []] = (await connection.runAndReadAll(`SELECT ${selects.join(', ')}`)).getRows();
    return row.map(Number);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
