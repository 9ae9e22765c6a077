import { constants } from 'node:fs';
import { access, lstat, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../../core/firnError.ts';
import { oldNode } from '../../core/text/oldNode.ts';
import { secp256k1 } from '../../decode/senders/secp256k1.ts';
import { openDuckDb } from '../../load/database/openDuckDb.ts';
import { queryOf } from '../../load/database/transaction.ts';
import { linkInside } from '../../load/state/refuseLinks.ts';
import { type DoctorCheck, failed, passed, warning } from './doctorCheck.ts';

/** @param wanted as in the package's `engines`: `>=20.19` */
export function checkNodeVersion(version: string, wanted: string): DoctorCheck {
  const sentence = oldNode(version, wanted);
  return sentence === null ? passed('node version', version) : failed('node version', 'failed', sentence);
}

/** Whether DuckDB's library works here. */
export async function checkDuckDb(): Promise<DoctorCheck> {
  try {
    const { connection, close } = await openDuckDb({ folders: [] });
    const [row] = await queryOf(connection)<{ version: string }>('SELECT version() AS version');
    close();
    return passed('duckdb', String(row?.version));
  } catch (error) {
    return failed(
      'duckdb',
      'failed',
      `DuckDB does not work: ${messageOf(error)}. Install firn-etl again on this machine.`,
    );
  }
}

/** Whether senders are recovered by the native library. */
export function checkSenders(): DoctorCheck {
  const { slow } = secp256k1();
  return slow === null ? passed('sender recovery', 'native') : warning('sender recovery', slow);
}

const gb = 1e9;

/** A publish may make so many at once. */
const fewFiles = 1000;

/** @param free bytes that this user may still write · @param folder for the message · @param files that can still be made, where they are numbered */
export function checkDisk(free: number, folder: string, files = Number.POSITIVE_INFINITY): DoctorCheck {
  if (files < fewFiles) {
    const left = `The file system of ${folder} takes ${files} more files, however large (df -i)`;
    return failed('disk', 'disk', `${left}. Remove some, or name another folder with --warehouse.`);
  }
  const shown = `${(free / gb).toFixed(1)} GB free for ${folder}`;
  if (free < gb) return failed('disk', 'disk', `${shown}. Free some space, or name another folder with --warehouse.`);
  if (free < 10 * gb) return warning('disk', `${shown}. A year of a busy chain takes more: "firn plan" says how much.`);
  return passed('disk', shown);
}

/** Whether the warehouse folder is there or can be made, may be written, has no link inside, and has room. */
export async function checkFolder(folder: string): Promise<DoctorCheck[]> {
  const link = await linkInside(folder);
  if (link !== null) return [failed('warehouse', 'config', link)];
  const there = await nearest(folder);
  const isThere = there === folder;
  try {
    if (!(await stat(there)).isDirectory()) throw new Error(`${there} is not a folder`);
    await access(there, constants.W_OK | constants.X_OK);
    const { bavail, bsize, files, ffree } = await statfs(there);
    const sentence = isThere ? `${folder} can be written` : `${folder} is made by the first run`;
    return [passed('warehouse', sentence), checkDisk(bavail * bsize, folder, files > 0 ? ffree : undefined)];
  } catch (error) {
    const next = 'Fix the permissions, or name another folder with --warehouse.';
    return [failed('warehouse', 'disk', `${folder} cannot be written: ${messageOf(error)}. ${next}`)];
  }
}

/** The folder, or the nearest above it that exists. */
async function nearest(folder: string): Promise<string> {
  try {
    await lstat(folder);
    return folder;
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(folder) !== folder;
    return isAbsent ? nearest(dirname(folder)) : folder;
  }
}
