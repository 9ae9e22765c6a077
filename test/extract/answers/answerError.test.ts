import { expect, test } from 'vitest';
import { statusError, transportError, wasNotSent } from '../../../src/extract/answers/answerError.ts';

const late = (syscall: string) => Object.assign(new Error(`${syscall} ETIMEDOUT`), { code: 'ETIMEDOUT', syscall });
const coded = (code: string) => Object.assign(new Error(code), { code });
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

test.each([
  ['ENOTFOUND', /the host name was not found \(ENOTFOUND\)\. Check the name .* DNS, and the proxy .*HTTPS_PROXY/],
  ['EAI_AGAIN', /the host name was not found/],
  ['EAI_FAIL', /the host name was not found/],
  ['ECONNREFUSED', /nothing answers at that address \(ECONNREFUSED\)\. Check that the URL .* its server runs/],
])('a host that is not reached with %s is told so', (code, words) => {
  expect(transportError('GET https://a.example', coded(code)).message).toMatch(words);
});

test.each<[unknown, boolean]>([
  [late('connect'), true],
  [ofAll(late('connect'), refused), true],
  ...['ENETDOWN', 'EADDRNOTAVAIL', 'EAI_FAIL', 'UND_ERR_CONNECT_TIMEOUT'].map((code): [Error, boolean] => [
    coded(code),
    true,
  ]),
  [new Error('Proxy response (503) !== 200 when HTTP Tunneling'), true],
  [new Error('Proxy response (403) !== 200 when HTTP Tunneling'), false],
  [late('read'), false],
  [coded('ECONNRESET'), false],
  [coded('CERT_HAS_EXPIRED'), false],
  [new Error('else'), false],
  [undefined, false],
])('of %s it is known whether anything was sent', (error, isKnown) => {
  expect(wasNotSent(error)).toBe(isKnown);
});

test.each([
  ['Basic realm="node"', /asks for a user and a password: write both before the host in the URL/],
  ['Bearer', /Check the key and keyHeader .*; of a node, its headers and URL\.$/],
  [undefined, /Check the key and keyHeader/],
])('a 401 that challenges with %s is told what the server wants', (challenge, words) => {
  const headers = challenge === undefined ? {} : { 'www-authenticate': challenge };
  const error = statusError('GET https://a.example', { status: 401, headers, text: '' }, {});
  expect([error.code, error.message]).toEqual(['unauthorized', expect.stringMatching(words)]);
});
