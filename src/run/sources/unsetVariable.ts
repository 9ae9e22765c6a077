import { FirnError } from '../../core/firnError.ts';

/** `${env:NAME}` in a configuration: what is left of it after reading is a variable that is not set. */
export const variable = /\$\{env:([^}]+)\}/g;

/** The first variable that a value, or anything in it, takes from the environment though it is not set. */
export function unsetVariable(value: unknown): string | undefined {
  if (typeof value === 'string') return [...value.matchAll(variable)][0]?.[1];
  if (value === null || typeof value !== 'object') return undefined;
  for (const member of Object.values(value)) {
    const name = unsetVariable(member);
    if (name !== undefined) return name;
  }
  return undefined;
}

/** Why a source cannot be opened, where what it is configured with is not in the environment. */
export function unsetError(source: string, configured: unknown): FirnError | undefined {
  const name = unsetVariable(configured);
  return name === undefined
    ? undefined
    : new FirnError(
        'unauthorized',
        `The source ${source} takes a value from the environment variable ${name}, which is not set. Nothing was asked of it. Set ${name} and run again.`,
      );
}
