import { expect, test } from 'vitest';
import { transportError } from '../../../src/extract/answers/answerError.ts';

const late = (syscall: string) => Object.assign(new Error(`${syscall} ETIMEDOUT`), { code: 'ETIMEDOUT', syscall });
const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
/** As Node tells of several addresses of one name. */
const ofAll = (...errors: NodeJS.ErrnoException[]) =>
  Object.assign(new AggregateError(errors), { code: errors[0]?.code });

test.each([
  ['that comes about too slowly', late('connect'), 'unreachable', false],
  ['too slow at one address and refused at the other', ofAll(late('connect'), refused), 'unreachable', false],
  ['refused at one address and too slow at the other', ofAll(refused, late('connect')), 'unreachable', false],
  ['on which nothing comes any more', late('read'), 'timeout', true],
])('a connection %s', (_, error, reason, acted) => {
  expect(transportError('GET https://a.example', error)).toMatchObject({ context: { reason, acted } });
});
