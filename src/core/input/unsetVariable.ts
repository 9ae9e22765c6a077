import { FirnError } from '../firnError.ts';

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

/** What is wrong where a part of the configuration names a variable that is not set, as the beginning of a sentence. */
export const unsetText = (what: string, name: string): string =>
  `${what} takes a value from the environment variable ${name}, which is not set`;

/** Why a source cannot be opened whose settings name a variable that is not set. */
export function unsetError(source: string, configured: unknown): FirnError | undefined {
  const name = unsetVariable(configured);
  return name === undefined
    ? undefined
    : new FirnError(
        'unauthorized',
        `${unsetText(`The source ${source}`, name)}. No request was sent to it. Set ${name} and run again.`,
      );
}

/** @throws FirnError `config` where a value names a variable that is not set */
export function refuseUnset(what: string, value: unknown): void {
  const name = unsetVariable(value);
  if (name !== undefined) throw unsetConfig(what, name);
}

/** The error of a variable that is not set. */
export const unsetConfig = (what: string, name: string): FirnError =>
  new FirnError('config', `${unsetText(what, name)}. Set it and run again.`);
