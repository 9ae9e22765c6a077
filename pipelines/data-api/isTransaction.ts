import { memberOf, objectOf, textOf, wrongAnswer } from '../../src/index.ts';

/**
 * Gives a check of an answer that must be a transaction: another one than was asked for would be taken for it, and nobody would ask again.
 *
 * @returns throws FirnError `contract` for anything else
 */
export const isTransaction = (hash: string) => (body: unknown) => {
  const isNested = memberOf(body, 'nativeTransaction') !== undefined;
  if (!isNested) textOf(body, 'txHash');
  const told = memberOf(isNested ? objectOf(body, 'nativeTransaction') : body, 'txHash');
  if (typeof told === 'string' && told.toLowerCase() !== hash.toLowerCase())
    throw wrongAnswer(body, `transaction ${hash}`);
};
