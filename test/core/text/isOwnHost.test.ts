import { expect, test } from 'vitest';
import { isOwnHost } from '../../../src/core/text/isOwnHost.ts';

test.each([
  ['localhost:8080', undefined, true],
  ['LOCALHOST:8080', undefined, true],
  ['127.0.0.1:8080', undefined, true],
  ['[::1]:8080', undefined, true],
  ['127.0.0.1:8080', '127.0.0.1', true],
  ['localhost:8080', '::1', true],
  [undefined, undefined, false],
  ['', undefined, false],
  ['localhost', undefined, true],
  ['127.0.0.1:9000', undefined, true],
  ['localhost:x', undefined, false],
  ['localhost:8080:8080', undefined, false],
  ['evil.example:8080', undefined, false],
  ['localhost.evil.example:8080', undefined, false],
  ['evil-localhost:8080', undefined, false],
  ['evil.localhost:8080', undefined, false],
  ['127.0.0.1.evil.example:8080', undefined, false],
  ['localhost@evil.example:8080', undefined, false],
  ['192.168.0.1:8080', undefined, false],
  ['192.168.0.1:8080', 'localhost', false],
  // Where others may reach it, any address is.
  ['192.168.0.1:80', '0.0.0.0', true],
  ['[fd00::1]:80', '::', true],
  ['127.0.0.2:8080', '127.0.0.2', true],
  ['box.lan:8080', 'box.lan', true],
  ['localhost:8080', '0.0.0.0', true],
  ['evil.example:8080', '0.0.0.0', false],
  ['1.2.3.4.evil.example:8080', '0.0.0.0', false],
  ['[evil.example]:8080', '0.0.0.0', false],
])('%s, of a server at %s: %s', (host, listensAt, isOwn) => {
  expect(isOwnHost(host, listensAt)).toBe(isOwn);
});
