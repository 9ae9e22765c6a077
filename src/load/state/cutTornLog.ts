import { copyFile, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../../disk/durable.ts';

/** Length and checksum, before the content of an entry. */
const headBytes = 16;
/** The least that a disk writes. */
const sector = 512;
/** The content of an entry that ends a commit. */
const commitEnd = Buffer.from('640064ffff', 'hex');

/**
 * Cuts off what never reached the disk of DuckDB's write-ahead log. Where the power went before a commit was synced, later parts of it may be
 * there and earlier ones not: these read as zeros, which DuckDB takes for damage and opens nothing. Nothing that counts is cut off, since
 * a commit counts once it was synced, before the next one begins. A log with a byte that is wrong is left as it is; only in the last commit
 * what is missing cannot be told from values that are zeros.
 *
 * @param file the state database, which nobody has open
 * @param error what opening it failed with
 * @returns the copy of the whole log that is kept; undefined where the error is another, or the log is not torn
 */
export async function cutTornLog(file: string, error: unknown): Promise<string | undefined> {
  const content = Number(/Corrupt WAL file: entry at byte position (\d+)/.exec(String(error))?.[1]);
  if (Number.isNaN(content)) return undefined;
  const begin = content - headBytes;
  const kept = `${file}.wal.torn`;
  const log = await open(`${file}.wal`, 'r+');
  try {
    const read = async (from: number, length: number) => {
      const { buffer, bytesRead } = await log.read(Buffer.alloc(length), 0, length, from);
      return buffer.subarray(0, bytesRead);
    };
    const head = await read(begin, headBytes);
    const { size } = await log.stat();
    const length = Math.min(Number(head.readBigUInt64LE()), size - content);
    const entry = await read(begin, headBytes + length + sector);
    const isLost = head.equals(Buffer.alloc(headBytes));
    if (!isLost && (!entry.includes(Buffer.alloc(sector)) || (await endsBehind(read, begin, size)) > 1))
      return undefined;
    await copyFile(`${file}.wal`, kept);
    await log.truncate(begin);
    await log.sync();
  } finally {
    await log.close();
  }
  await syncFolder(dirname(file));
  return kept;
}

/** How many commits end from an entry on, which may be harmed, as far as entries follow each other. */
async function endsBehind(
  read: (from: number, length: number) => Promise<Buffer>,
  begin: number,
  size: number,
): Promise<number> {
  let ends = 0;
  for (let at = begin; at + headBytes < size; ) {
    const entry = await read(at, headBytes + commitEnd.length);
    const length = Number(entry.readBigUInt64LE());
    if (length === 0) break;
    if (at === begin ? length === commitEnd.length : entry.subarray(headBytes).equals(commitEnd)) ends++;
    at += headBytes + length;
  }
  return ends;
}
