import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { FirnError, messageOf } from '../../core/firnError.ts';
import { literal } from '../../core/text/sqlText.ts';
import { openDuckDb } from '../../load/database/openDuckDb.ts';
import { queryOf } from '../../load/database/transaction.ts';
import { diskTrouble } from '../../load/diskError.ts';
import { readCatalogue } from '../files/publishedTables.ts';
import type { PublishSource } from '../files/publishSource.ts';
import { announceReaders, type Manifest, readVersion } from '../manifest.ts';
import { publishError } from '../publishError.ts';
import { leadsHere } from './openInPlace.ts';
import { buildReaderDatabase, type SmallTables, swapReaderDatabase } from './readerDatabase.ts';
import { ownReaderFile } from './readerPaths.ts';
import { readerVersion } from './readerVersion.ts';

/**
 * Rewrites the reader database after the warehouse was moved or copied: its views name files by absolute path. One whose root was
 * set by hand (`publish.root`) is left alone.
 *
 * @returns whether it was rewritten
 * @throws FirnError `disk` where the warehouse may not be written
 */
export async function repairReaderDatabase(folder: string): Promise<boolean> {
  const file = ownReaderFile(folder);
  if (!existsSync(file)) return false;
  try {
    return await repair(folder, file);
  } catch (error) {
    if (error instanceof FirnError || !['denied', 'readOnly'].includes(diskTrouble(error) ?? ''))
      throw publishError(error, `rewrite ${file} for its new place`);
    throw new FirnError(
      'disk',
      `${folder} was moved, or is seen here by another path, and ${file} may not be rewritten for it (${messageOf(error)}). ` +
        `Where it is to be read only, publish with \`publish.root: ${folder}\` in the firn.yaml of the machine that writes it; else let firn write there once.`,
      { cause: error },
    );
  }
}

async function repair(folder: string, file: string): Promise<boolean> {
  const { connection, transaction, close } = await openDuckDb({ folders: [folder] });
  try {
    const source: Omit<PublishSource, 'folder'> = {
      run: async (sql) => (await connection.run(sql)).rowsChanged,
      query: queryOf(connection),
      transaction: (work) => transaction(() => work(source)),
    };
    await source.run(`ATTACH ${literal(file)} AS previous (READ_ONLY)`);
    const [shown] = await source.query<{ version: bigint; root: string; is_set: boolean }>(
      'SELECT "version", root, root_is_set AS is_set FROM previous.firn.published',
    );
    if (!shown || shown.is_set || (await leadsHere(shown.root, folder))) return false;
    const manifest = await readVersion(folder, Number(shown.version));
    if (!manifest) return false;
    await rewrite(folder, file, manifest, { source, catalogue: await readCatalogue(source, 'previous') });
    return true;
  } finally {
    close();
  }
}

async function rewrite(folder: string, file: string, manifest: Manifest, small: SmallTables): Promise<void> {
  const target = { file, root: await realpath(folder), isSet: false };
  const built = await buildReaderDatabase(folder, manifest, target, small);
  // A run may have published meanwhile: its reader database is newer, and right.
  if ((await readerVersion(file)) !== manifest.version) return;
  await announceReaders(folder, [built.sha256]);
  await swapReaderDatabase(built);
}
