import type { Argument, Command, Option } from 'commander';

/** A completion of the word being typed, and what it is. */
export interface Completion {
  readonly word: string;
  readonly description: string;
}

/** Names that only the configuration and the models know. They are asked for where a word may be one. */
export interface KnownNames {
  streams(): Promise<readonly Completion[]>;
  metrics(): Promise<readonly Completion[]>;
  pipelines(): Promise<readonly Completion[]>;
}

/**
 * What the last word of a command line may be. Files and folders are the shell's: for them there is nothing.
 *
 * @param program with the commands that the words may name
 * @param words after the program's name; the last one is being written, and may be empty
 */
export async function completions(
  program: Command,
  words: readonly string[],
  names: KnownNames,
): Promise<readonly Completion[]> {
  const last = words.at(-1) ?? '';
  // A shell may leave an option, its equals sign and its value in one word.
  const [, named, value] = /^(--[^=]+)=(.*)$/s.exec(last) ?? [];
  const written = value ?? last;
  const before = [...words.slice(0, -1), ...(named === undefined ? [] : [named])];
  const { command, option, values, given } = placeAfter(program, before);
  if (named !== undefined && !option) return [];
  const of = (all: readonly Completion[]) =>
    all
      .filter(({ word }) => word.startsWith(written))
      .map(({ word, description }) => ({ word: named === undefined ? word : `${named}=${word}`, description }));
  if (written.startsWith('-')) return of(optionsOf([...new Set([command, program])]));
  if (option && takesMore(option, values)) {
    const wanted = await valuesOf(option, option.flags, values, names);
    if (!option.optional || wanted.length > 0) return of(wanted);
  }
  const argument =
    command.registeredArguments[given] ?? command.registeredArguments.findLast(({ variadic }) => variadic);
  return of([
    ...command.commands.map((one) => ({ word: one.name(), description: one.description() })),
    ...(argument ? await valuesOf(argument, argument.name(), 0, names) : []),
  ]);
}

/** Where some words lead: the command, the option before and how many values it has, how many arguments the command has. */
function placeAfter(program: Command, words: readonly string[]) {
  let command = program;
  let option: Option | undefined;
  let values = 0;
  let given = 0;
  // As bash divides words, an equals sign is one.
  for (const word of words.filter((one) => one !== '=')) {
    const inner = command.commands.find((one) => one.name() === word);
    if (word.startsWith('-')) [option, values] = [optionOf([command, program], word), 0];
    else if (option && takesMore(option, values)) values++;
    else {
      option = undefined;
      if (inner) command = inner;
      else given++;
    }
  }
  return { command, option, values, given };
}

const optionOf = (commands: readonly Command[], word: string): Option | undefined => {
  // What follows an equals sign is the value.
  const option = commands.flatMap(({ options }) => options).find(({ long, short }) => word === long || word === short);
  return option && (option.required || option.optional) ? option : undefined;
};

const takesMore = ({ variadic }: Option, values: number) => variadic || values === 0;

const optionsOf = (commands: readonly Command[]): Completion[] => [
  ...commands
    .flatMap(({ options }) => options)
    .map(({ long, short, description }) => ({ word: long ?? short ?? '', description })),
  { word: '--help', description: 'display help for command' },
];

/** @param shown the placeholder of the value in the help, whose words say which names fit */
async function valuesOf(
  { argChoices }: Option | Argument,
  shown: string,
  index: number,
  names: KnownNames,
): Promise<readonly Completion[]> {
  if (argChoices) return argChoices.map((word) => ({ word, description: '' }));
  if (/\bstream\b/.test(shown)) return names.streams();
  if (/--pipeline\b/.test(shown)) return names.pipelines();
  // --explain <chain metric bucket...>
  if (/<chain metric/.test(shown)) return index === 1 ? names.metrics() : [];
  return [];
}
