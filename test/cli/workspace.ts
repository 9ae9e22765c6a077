import { join } from 'node:path';
import { type Project, project } from './cliHarness.ts';
import type { Captured } from './firnProcess.ts';
import { queryFile } from './queryFile.ts';

/** A project whose state can be read, and whose command line answers as a process of its own does. */
export interface Workspace extends Pick<Project, 'folder' | 'config' | 'configure'> {
  /** Runs `firn --config <config> <args>`. */
  firn(...args: string[]): Promise<Captured>;
  /** Rows of the state database, while nothing runs. */
  state(sql: string): Promise<Record<string, unknown>[]>;
}

/**
 * @param configuration `firn.yaml` but for the warehouse, which is the folder `warehouse` beside it
 * @param options as `project` has them
 */
export async function workspace(configuration: object, options?: Parameters<typeof project>[1]): Promise<Workspace> {
  const { folder, config, configure, firn } = await project(configuration, options);
  return {
    folder,
    config,
    configure,
    async firn(...args) {
      const { code, out, err } = await firn(...args);
      return { code, stdout: out, stderr: err };
    },
    state: (sql) => queryFile(join(folder, 'warehouse', '.state', 'firn.duckdb'), sql),
  };
}
