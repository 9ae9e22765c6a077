import type { Journal, Tried } from './journal.ts';
import type { Prepared, Proof } from './proof.ts';
import type { Scene } from './scene.ts';

export interface Options {
  /** One case of a proof, where a seed named it. */
  readonly only?: ReadonlyMap<string, readonly number[]>;
  /** Cases of each proof, the first ones, as far as there are as many; those of the long form if omitted. */
  readonly count?: number | undefined;
  /** Cases at a time. */
  readonly jobs: number;
  /** When no further case begins, in milliseconds since the epoch. */
  readonly until: number;
  readonly journal: Journal;
  readonly say: (line: string) => void;
}

/** What became of one proof: what was tried now and in runs before that this one went on from. */
export interface Outcome {
  readonly proof: Proof;
  /** All that there are; what keeps this machine from it, in a sentence. */
  readonly cases: number | string;
  readonly tried: readonly Tried[];
}

/** The command that repeats one case. */
export const repeatCommand = (seed: string): string => `npm run proof -- --only ${seed}`;

/**
 * Tries the cases of several proofs, in turn, so that all have come equally far whenever it ends. A case that fails is told at once, with
 * the command that repeats it; the others go on.
 */
export async function runProofs(proofs: readonly Proof[], scene: Scene, options: Options): Promise<Outcome[]> {
  const { only, count, journal, say } = options;
  const ready: { proof: Proof; prepared: Prepared | string }[] = [];
  for (const proof of proofs) ready.push({ proof, prepared: await proof.prepare(scene) });
  const tasks = ready.flatMap(({ proof, prepared }) => {
    if (typeof prepared === 'string') return [];
    const { cases: usual, all = usual } = prepared;
    const cases = Math.min(count ?? usual, all);
    const numbers = only?.get(proof.name) ?? Array.from({ length: cases }, (_, i) => i + 1);
    return numbers
      .filter((number) => only?.has(proof.name) || !journal.has(proof.name, number))
      .map((number, i) => ({ proof, prepared, number, share: i / numbers.length }));
  });
  tasks.sort((a, b) => a.share - b.share);
  const all = tasks.length;
  let done = 0;
  if (all > 0)
    say(
      `${all} cases to try; ${ready.reduce((sum, { proof }) => sum + journal.of(proof.name).length, 0)} were tried before`,
    );
  const work = async () => {
    while (Date.now() < options.until) {
      const task = tasks.shift();
      if (!task) return;
      const { proof, prepared, number } = task;
      const seed = `${proof.name}:${number}`;
      const tried = await attempt(prepared, proof.name, number);
      await journal.add(tried);
      const far = `${++done}/${all}`;
      if (tried.error === undefined) say(`${far} ${seed} ${tried.words.join('; ')}`);
      else say(`${far} FAILED ${seed}: ${tried.error}\n  Repeat it: ${repeatCommand(seed)}`);
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, work));
  return ready.map(({ proof, prepared }) => ({
    proof,
    cases: typeof prepared === 'string' ? prepared : (prepared.all ?? prepared.cases),
    tried: journal.of(proof.name),
  }));
}

async function attempt({ run }: Prepared, proof: string, number: number): Promise<Tried> {
  try {
    return { proof, number, words: await run(number) };
  } catch (error) {
    return { proof, number, words: [], error: error instanceof Error ? error.message : String(error) };
  }
}
