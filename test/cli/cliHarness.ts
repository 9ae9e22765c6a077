import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Devnet } from 'firn-devnet';
import { vi } from 'vitest';
import { stringify } from 'yaml';
import { runCli } from '../../src/cli/program/runCli.ts';
import { openWarehouse, type Warehouse } from '../../src/load/state/warehouse.ts';
import { placeState } from '../placeState.ts';
import { temporary } from '../temporaryFolders.ts';
import { checkedDocument } from './jsonDocument.ts';

export interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface CliResult extends Printed {
  /** stdout as JSON, for calls with --json: held against the command's schema. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, into which the tests look freely.
  readonly json: any;
}

export interface Project {
  readonly folder: string;
  readonly warehouse: string;
  /** The configuration file, for those that start a process. */
  readonly config: string;
  /** Runs the command line as a user would in this folder. */
  firn(...args: string[]): Promise<CliResult>;
  /** Rows of a query over the state. */
  query<R extends object = Record<string, unknown>>(sql: string): Promise<R[]>;
  /** Opens the state, as another run would, until the test ends or it is closed. */
  open(): Promise<Warehouse>;
  configure(configuration: object): Promise<void>;
}

/** The sources of a configuration that reads an embedded network. */
export const sourcesOf = ({ url }: Pick<Devnet, 'url'>) => ({
  node: { url },
  data: { url, network: 'fuji' },
  metrics: { url },
});

/**
 * A folder with a configuration, and a state into which nothing was read. Removed after the tests of the file.
 *
 * @param isNew without the state: what no command has touched yet
 * @param isBuilt with models already built from nothing, for tests that are not about a first build
 */
export async function project(configuration: object, { isNew = false, isBuilt = false } = {}): Promise<Project> {
  const folder = await temporary();
  const warehouse = join(folder, 'warehouse');
  const file = join(folder, 'firn.yaml');
  const open = () => openWarehouse({ folder: warehouse, tables: [] });
  const self: Project = {
    folder,
    warehouse,
    config: file,
    open,
    configure: (changed) => writeFile(file, stringify({ warehouse: './warehouse', pipelines: {}, ...changed })),
    firn: (...args) => runHere(['--config', file, ...args]),
    async query(sql) {
      const state = await open();
      try {
        return await state.query(sql);
      } finally {
        state.close();
      }
    },
  };
  await self.configure(configuration);
  if (!isNew) await placeState(warehouse, undefined, { isBuilt });
  return self;
}

/** Runs the command line in this process, one at a time. */
export async function runHere(args: readonly string[]): Promise<CliResult> {
  const { code, out, err } = await printedHere(() => runCli(['node', 'firn', ...args]));
  return {
    code,
    out,
    err,
    get json() {
      return checkedDocument(args, out);
    },
  };
}

/** What a program writes in this process, and the exit code that it gives. */
export async function printedHere(run: () => Promise<number>): Promise<Printed> {
  let out = '';
  let err = '';
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += String(text);
    return true;
  });
  try {
    const code = await run();
    return { code, out, err };
  } finally {
    stdout.mockRestore();
    stderr.mockRestore();
  }
}
