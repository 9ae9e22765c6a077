import type { Source, SourceDefaults } from './stream.ts';

/** What is said of a source of one's own. */
export interface SourceDeclaration extends SourceDefaults {
  readonly name: string;
  readonly description: string;
  /** Default: `lossless`. `text` where the digits are to be kept as they were served. */
  readonly numbers?: Source['numbers'];
}

/**
 * Declares a source of one's own. Its name begins the names of its streams and of their tables.
 *
 * @throws TypeError for a name that cannot begin a table's
 */
export function defineSource({ name, description, numbers = 'lossless', ...defaults }: SourceDeclaration): Source {
  if (!/^[a-z][a-z0-9_]*$/.test(name))
    throw new TypeError(`a source cannot be called "${name}": write small letters, digits and _, with a letter first`);
  return { name, description, numbers, defaults };
}
