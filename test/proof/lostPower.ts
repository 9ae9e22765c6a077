import { dirname } from 'node:path';
import type { Done } from './shim/readTrace.ts';

/** What a name stands for: a folder, what a symbolic link says, or a file. */
export type Node = 'folder' | { readonly link: string } | File;

/** A file, which may have several names. */
export interface File {
  /** What is on the disk for certain. */
  bytes: Buffer;
  /** Writes and cuts since it was synced last, in order. */
  pending: { readonly at: number; readonly bytes: Buffer | null }[];
}

/** A change of names that may not have reached the disk yet. */
interface Naming {
  readonly done: Done;
  /** What the new name stands for, where one is made. */
  readonly node: Node | undefined;
  isForced: boolean;
}

/**
 * How much reaches the disk without being asked for. `nothing`: what was not synced is thrown away. `half`: of data any part, torn at a
 * sector, and of names those that came first.
 */
export type Kept = 'nothing' | 'half';

/**
 * What syncing a file does to names. `journal` (ext4, XFS): all that was named before is on the disk too. `own` (btrfs, what POSIX
 * promises): only the file's own new name; names that were changed want their folder synced.
 */
export type Names = 'journal' | 'own';

const sector = 512;

/**
 * Blocks of DuckDB's files arrive whole or not at all here. It writes a block of its catalogue where it stood before, so that one that is torn
 * leaves a database that nobody can open: firn says so then, and nothing below it can help.
 */
const isWhole = (path: string) => path.endsWith('.duckdb');

/**
 * What is on the disk when the power goes after the given calls.
 *
 * @param before what was there, by path: folders before what is in them
 */
export function lostPower(
  before: ReadonlyMap<string, Node>,
  calls: readonly Done[],
  { kept, names, random }: { readonly kept: Kept; readonly names: Names; readonly random: () => number },
): Map<string, Node> {
  const now = new Map(before);
  const namings: Naming[] = [];
  const name = (done: Done, node?: Node) => {
    namings.push({ done, node, isForced: false });
    applyNaming(now, done, node);
  };
  for (const done of calls) {
    const { call, path, second, bytes } = done;
    const found = now.get(path);
    const file = typeof found === 'object' && 'pending' in found ? found : undefined;
    if (call === 'open' && second === 'made') name(done, { bytes: Buffer.alloc(0), pending: [] });
    else if (call === 'mkdir') name(done, 'folder');
    else if (call === 'symlink') name(done, { link: path });
    else if (['rename', 'link', 'unlink', 'rmdir'].includes(call)) name(done);
    else if (call === 'write' || call === 'pwrite') file?.pending.push({ at: Number(second), bytes });
    else if (call === 'ftruncate') file?.pending.push({ at: Number(second), bytes: null });
    else if (call === 'fsync' || call === 'fdatasync') {
      if (file) Object.assign(file, { bytes: contentOf(file, file.pending), pending: [] });
      for (const naming of namings) naming.isForced ||= isForced(naming, path, file, names);
    }
  }
  // The first of the unsynced changes: a file system writes its journal in order.
  const further = kept === 'half' ? Math.floor(random() * (namings.length + 1)) : 0;
  const left = new Map(before);
  for (const [place, { done, node, isForced }] of namings.entries()) {
    if (isForced || place < further) applyNaming(left, done, node);
  }
  for (const [path, file] of left) {
    if (typeof file !== 'object' || !('pending' in file)) continue;
    const reached = kept === 'half' ? file.pending.filter(() => random() < 0.5) : [];
    const last = reached.at(-1);
    if (last?.bytes && !isWhole(path)) {
      const whole = Math.floor((random() * last.bytes.length) / sector) * sector;
      reached[reached.length - 1] = { at: last.at, bytes: last.bytes.subarray(0, whole) };
    }
    Object.assign(file, { bytes: contentOf(file, reached), pending: [] });
  }
  return left;
}

function isForced({ done, node }: Naming, path: string, file: File | undefined, names: Names): boolean {
  const { call } = done;
  const target = call === 'rename' || call === 'link' || call === 'symlink' ? done.second : done.path;
  if (file !== undefined && names === 'journal') return true;
  // The way to a synced file is there with it.
  if (file !== undefined) return node === file || (call === 'mkdir' && path.startsWith(`${target}/`));
  return (
    dirname(target) === path ||
    (call === 'rename' && dirname(done.path) === path) ||
    (call === 'mkdir' && path === target)
  );
}

/** Changes names as a call did. One that no longer finds what it names does nothing. */
function applyNaming(names: Map<string, Node>, { call, path, second }: Done, node: Node | undefined): void {
  if (node !== undefined) names.set(call === 'symlink' ? second : path, node);
  else if (call === 'unlink' || call === 'rmdir') names.delete(path);
  else {
    const found = names.get(path);
    if (found === undefined) return;
    names.set(second, found);
    if (call === 'rename') names.delete(path);
  }
}

function contentOf({ bytes }: File, changes: File['pending']): Buffer {
  let content = bytes;
  for (const { at, bytes: written } of changes) {
    const length = written === null ? at : Math.max(content.length, at + written.length);
    const next = Buffer.alloc(length);
    content.copy(next, 0, 0, Math.min(length, content.length));
    written?.copy(next, at);
    content = next;
  }
  return content;
}
