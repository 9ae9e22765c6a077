import { z } from 'zod';
import type { Source } from './source.ts';
import { keyedMembers, part, type SourceSettings } from './sourceSettings.ts';

/** A source that an extension declares: what it is, and how it is reached where `sources.<name>` of the configuration does not say. */
export interface SourceDeclaration
  extends Pick<SourceSettings, 'url' | 'headers' | 'keyHeader' | 'quota' | 'concurrency' | 'timeouts'> {
  readonly name: string;
  readonly description: string;
  /** Default: `lossless`. `text` where the digits are to be kept as they were served. */
  readonly numbers?: Source['numbers'];
}

/**
 * Declares a source. Its name begins the names of its streams and of their tables. One that says its URL need not be named
 * in the configuration.
 *
 * @throws TypeError for a name that cannot begin a table's, and for what no configuration could say, such as a URL without https://
 */
export function defineSource({ name, description, numbers = 'lossless', ...defaults }: SourceDeclaration): Source {
  if (typeof name !== 'string' || !/^(?!constructor$)[a-z][a-z0-9_]*$/.test(name))
    throw new TypeError(
      `a source cannot be called "${name}": write small letters, digits and _, with a letter first, but not constructor, which every object has`,
    );
  const [wrong] = z.object(keyedMembers).partial().safeParse(defaults).error?.issues ?? [];
  if (wrong) throw new TypeError(`${name}: "${wrong.path.join('.')}": ${wrong.message}`);
  const members = Object.entries(keyedMembers).map(([member, schema]) => {
    const standard = defaults[member as keyof typeof defaults];
    return [member, standard === undefined ? schema : (schema as z.ZodType).default(standard)];
  });
  const settings = z.strictObject(Object.fromEntries(members)) as unknown as z.ZodType<SourceSettings>;
  return { name, description, numbers, settings: defaults.url === undefined ? settings : part(settings).prefault({}) };
}
