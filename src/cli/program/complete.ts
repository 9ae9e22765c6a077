import { existsSync } from 'node:fs';
import { loadCommands } from '../commands/index.ts';
import type { GlobalOptions } from '../terminal/console.ts';
import { type Completion, completions, type KnownNames } from './completions.ts';
import { createProgram } from './createProgram.ts';

/**
 * What the last of these words may be, a line each with a tab before what it is: `firn __complete`, which the scripts of
 * `firn completion` ask.
 */
export async function complete(words: readonly string[]): Promise<string> {
  const program = createProgram();
  const [name] = program.parseOptions([...words]).operands;
  for (const register of await loadCommands(words.length > 1 ? name : undefined))
    register(program, () => async () => {});
  const found = await completions(program, words, knownNames(program.opts<GlobalOptions>().config));
  return found.map(({ word, description }) => `${word}\t${description.split('\n')[0]}\n`).join('');
}

function knownNames(config: string): KnownNames {
  const configured = async () => {
    // Loaded where a name is asked for: most words need none of it.
    const { readConfigured } = await import('../config/configured.ts');
    return existsSync(config) ? readConfigured({ config }) : undefined;
  };
  return {
    async streams() {
      const { catalogue } = (await configured())?.registry ?? (await import('../../../pipelines/index.ts'));
      return catalogue.map(({ id, description }) => ({ word: id, description }));
    },
    async pipelines() {
      return named(Object.keys((await configured())?.settings.pipelines ?? {}));
    },
    async metrics() {
      const { declaredMetrics } = await import('../../transform/models/declaredMetrics.ts');
      return declaredMetrics().map(({ name, title }) => ({ word: name, description: title }));
    },
  };
}

const named = (words: readonly string[]): Completion[] => words.map((word) => ({ word, description: '' }));
