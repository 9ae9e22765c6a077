import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FirnError } from '../../core/firnError.ts';
import type { Audit } from '../../transform/audits/parseAudit.ts';
import { readAudits } from '../../transform/audits/readAudits.ts';
import type { Model } from '../../transform/models/model.ts';
import { readModels } from '../../transform/models/readModels.ts';
import { type DeclaredStream, importStreams } from './importStreams.ts';

/** What is in an extension's folder. */
export interface Extension {
  readonly streams: readonly DeclaredStream[];
  readonly models: readonly Model[];
  readonly audits: readonly Audit[];
  /** Path of the folder of notebooks, where there is one. */
  readonly notebooks: string | undefined;
}

/** The parts that the folder may have. Notebooks are for people: firn reads them for `dbt-project` only. */
const parts = ['streams', 'models', 'audits', 'notebooks'] as const;

/**
 * Reads an extension's folder of streams, models and audits; each of its parts may be missing.
 *
 * @param folder absolute path
 * @throws FirnError `config` naming the folder or file that cannot be read
 */
export async function readExtension(folder: string): Promise<Extension> {
  const found = parts.map((name) => (existsSync(join(folder, name)) ? join(folder, name) : undefined));
  if (!found.some(Boolean))
    throw new FirnError(
      'config',
      `extend: ${folder} has none of the folders ${parts.join(', ')}. Correct the path, or run "firn init --extend", which writes an example.`,
    );
  const [streams, models, audits, notebooks] = found;
  return {
    streams: streams ? await readStreams(streams) : [],
    models: models ? await configured(() => readModels(models)) : [],
    audits: audits ? await configured(() => readAudits(audits)) : [],
    notebooks,
  };
}

/** Files of the folder itself; what they share may lie in folders below it. */
async function readStreams(folder: string): Promise<DeclaredStream[]> {
  const names = (await readdir(folder)).filter((name) => /(?<!\.d)\.[cm]?[jt]s$/.test(name)).sort();
  const streams: DeclaredStream[] = [];
  for (const name of names) {
    const found = await importStreams(join(folder, name));
    // One file may hand on what another exports.
    streams.push(...found.filter(({ stream }) => !streams.some((known) => known.stream === stream)));
  }
  return streams;
}

/** An error in a user's own file is an error of the configuration: it is reported before anything begins. */
export async function configured<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    throw new FirnError('config', error.message, { cause: error });
  }
}
