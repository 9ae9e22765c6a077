import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FirnError } from '../../core/firnError.ts';
import { temporaryFolder } from '../../disk/temporaryFolder.ts';
import { stopIfAborted } from '../../publish/stopIfAborted.ts';
import type { Failure, Watch } from '../../publish/verify/failure.ts';
import type { Stage, StagedFile } from '../contract.ts';
import type { Sql } from '../ledger/control.ts';

/**
 * Whether the files of the stage that somebody will still read are there, with the hash that the ledger noted: those that wait to be applied,
 * and those that the next read of a partition compares with.
 */
export async function verifyStaged(
  control: Sql,
  stage: Stage,
  { signal }: Watch,
): Promise<{ readonly files: number; readonly bytes: number; readonly failures: readonly Failure[] }> {
  const waiting = async () =>
    control.query<StagedFile>(
      `SELECT table_name AS "table", uri, rows::float8, bytes::float8, sha256 FROM firn.batch_file WHERE applied_at IS NULL
       UNION ALL SELECT f."table", f.uri, f.rows, f.bytes, f.sha256 FROM firn.part,
         jsonb_to_recordset(memory) AS f ("table" text, uri text, rows float8, bytes float8, sha256 text) ORDER BY 2`,
    );
  const folder = await temporaryFolder(join(tmpdir(), 'firn-verify-'));
  try {
    const files = await waiting();
    const harmed: Failure[] = [];
    for (const file of files) {
      stopIfAborted(signal, 'Verifying');
      const failure = await harmOf(stage, file, join(folder, 'file'));
      if (failure) harmed.push(failure);
    }
    // A worker may have applied or replaced one meanwhile, and swept it.
    const needed = new Set(harmed.length > 0 ? (await waiting()).map(({ uri }) => uri) : []);
    const failures = harmed.filter(({ item }) => needed.has(item));
    return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), failures };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function harmOf(stage: Stage, file: StagedFile, path: string): Promise<Failure | undefined> {
  try {
    await stage.fetch(file, path);
    return undefined;
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    if (error.code === 'contract') return { check: 'changed', item: file.uri, message: error.message };
    if (error.context.reason === 'missing') return { check: 'missing', item: file.uri, message: error.message };
    throw error;
  }
}
