import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

export interface Page {
  /** From the root of the checkout. */
  readonly file: string;
  readonly text: string;
}

/** A fenced block of a page. */
export interface Block {
  /** `docs/extend.md:92`: the page and the line on which the block begins. */
  readonly place: string;
  /** What stands behind the opening fence. */
  readonly kind: string;
  readonly text: string;
}

/** Files below a folder whose names end so. */
export async function filesIn(folder: string, end: string): Promise<Page[]> {
  const files = (await readdir(join(root, folder), { recursive: true })).filter((name) => name.endsWith(end)).sort();
  return Promise.all(files.map((file) => pageOf(join(folder, file))));
}

/** Everything that is written for people who use or change firn. */
export const readPages = async (): Promise<Page[]> => [
  ...(await Promise.all(['README.md', 'CONTRIBUTING.md', 'examples/README.md'].map(pageOf))),
  ...(await filesIn('docs', '.md')),
];

const pageOf = async (file: string): Promise<Page> => ({ file, text: await readFile(join(root, file), 'utf8') });

export const blockPattern = /^ *```(.*)\n([\s\S]*?)^ *```$/gm;

/** The fenced blocks of a page. */
export const blocksOf = ({ file, text }: Page): Block[] =>
  [...text.matchAll(blockPattern)].map(({ index, 1: kind = '', 2: inside = '' }) => ({
    place: `${file}:${text.slice(0, index).split('\n').length}`,
    kind,
    text: inside,
  }));
