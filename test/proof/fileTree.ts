import { link, mkdir, readdir, readFile, readlink, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Node } from './lostPower.ts';

/** New files, so that what is done to one is not done to the other. */
export function copyOfTree(tree: ReadonlyMap<string, Node>): Map<string, Node> {
  const files = new Map<Node, Node>();
  return new Map(
    [...tree].map(([path, node]) => {
      if (typeof node === 'string' || 'link' in node) return [path, node];
      const copy = files.get(node) ?? { bytes: node.bytes, pending: [] };
      files.set(node, copy);
      return [path, copy];
    }),
  );
}

/** What lies below a folder, itself included. */
export async function readTree(folder: string): Promise<Map<string, Node>> {
  const tree = new Map<string, Node>([[folder, 'folder']]);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) tree.set(path, 'folder');
    else if (entry.isSymbolicLink()) tree.set(path, { link: await readlink(path) });
    else tree.set(path, { bytes: await readFile(path), pending: [] });
  }
  return tree;
}

/** Writes what is left below another folder, as a machine finds it that is back after a minute; files with several names are linked. */
export async function writeTree(tree: ReadonlyMap<string, Node>, from: string, to: string): Promise<void> {
  const written = new Map<Node, string>();
  const before = new Date(Date.now() - 60_000);
  await mkdir(to, { recursive: true });
  for (const [path, node] of tree) {
    const target = join(to, relative(from, path));
    if (node === 'folder') {
      await mkdir(target, { recursive: true });
      continue;
    }
    await mkdir(dirname(target), { recursive: true });
    const other = written.get(node);
    if ('link' in node) await symlink(node.link, target);
    else if (other !== undefined) await link(other, target);
    else await writeFile(target, node.bytes);
    if (!('link' in node)) await utimes(target, before, before);
    written.set(node, target);
  }
}
