import { memberOf, objectOf, wrongAnswer } from '../../src/index.ts';

/**
 * Gives a check, which throws FirnError `contract` where an answer is not the transaction that was asked for: another one would be taken for it,
 * and nobody would ask again.
 */
export const isTransaction = (hash: string) => (body: unknown) => {
  const isNested = memberOf(body, 'nativeTransaction') !== undefined;
  const told = memberOf(isNested ? objectOf(body, 'nativeTransaction') : body, 'txHash');
  if (!isNested && (typeof told !== 'string' || told === ''))
    throw wrongAnswer(body, `transaction ${hash}, neither as "nativeTransaction" nor by itself with its "txHash"`);
  if (typeof told === 'string' && told.toLowerCase() !== hash.toLowerCase())
    throw wrongAnswer(body, `transaction ${hash}`);
};
