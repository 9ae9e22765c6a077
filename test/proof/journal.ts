import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A case that was tried. */
export interface Tried {
  readonly proof: string;
  readonly number: number;
  /** What was done. */
  readonly words: readonly string[];
  /** What did not hold. */
  readonly error?: string;
}

/** The cases that were tried, in a file: a proof that is stopped goes on from there. */
export interface Journal {
  /** Whether a case was tried and held: one that did not is tried again. */
  has(proof: string, number: number): boolean;
  of(proof: string): readonly Tried[];
  add(tried: Tried): Promise<void>;
}

/** @param isFresh whether what the file has is forgotten */
export async function openJournal(file: string, isFresh: boolean): Promise<Journal> {
  if (isFresh) await rm(file, { force: true });
  await mkdir(dirname(file), { recursive: true });
  const known = new Map<string, Tried>();
  const note = (tried: Tried) => known.set(`${tried.proof}:${tried.number}`, tried);
  const text = await readFile(file, 'utf8').catch(() => '');
  for (const line of text.split('\n')) {
    try {
      note(JSON.parse(line));
    } catch {
      // Half a line of a proof that was killed, or nothing behind the last line.
    }
  }
  if (text !== '' && !text.endsWith('\n')) await appendFile(file, '\n');
  return {
    has: (proof, number) => known.get(`${proof}:${number}`)?.error === undefined && known.has(`${proof}:${number}`),
    of: (proof) => [...known.values()].filter((tried) => tried.proof === proof),
    async add(tried) {
      note(tried);
      await appendFile(file, `${JSON.stringify(tried)}\n`);
    },
  };
}
