import { describe, expect, test } from 'vitest';
import { proxyOf } from '../../../src/extract/connections/proxyOf.ts';

const named = (url: string, env: Record<string, string>) => proxyOf(new URL(url), env)?.name;
const both = { HTTP_PROXY: 'http://plain:3128', HTTPS_PROXY: 'http://secure:3128' };

test.each([
  ['https://a.example/x', both, 'http://secure:3128'],
  ['http://a.example/x', both, 'http://plain:3128'],
  ['https://a.example', { HTTP_PROXY: 'http://plain:3128' }, undefined],
  ['https://a.example', { ALL_PROXY: 'https://any:1080' }, 'https://any:1080'],
  ['https://a.example', { ...both, https_proxy: 'lower:8080' }, 'http://lower:8080'],
  ['https://a.example', { HTTPS_PROXY: 'http://user:secret@p:1' }, 'http://p:1'],
  ['https://a.example', { HTTPS_PROXY: '' }, undefined],
  ['https://a.example', {}, undefined],
  ['http://localhost:9650', both, undefined],
  ['http://node.localhost:9650', both, undefined],
  ['http://127.0.0.9:9650', both, undefined],
  ['http://[::1]:9650', both, undefined],
])('%s with %o is asked by %s', (url, env, name) => {
  expect(named(url, env)).toBe(name);
});

test.each([
  ['a.example', true],
  ['.example', true],
  ['*.example', true],
  ['EXAMPLE', true],
  ['b.example, a.example', true],
  ['b.example a.example', true],
  ['a.example:443', true],
  ['a.example:8443', false],
  ['ample', false],
  ['x.a.example', false],
  ['*', true],
  ['', false],
  [', ,', false],
])('NO_PROXY=%s leaves a.example out: %s', (excepted, isDirect) => {
  expect(named('https://a.example', { ...both, NO_PROXY: excepted }) === undefined).toBe(isDirect);
});

test.each([
  ['http://10.1.2.3:9650', '10.0.0.0/8', true],
  ['http://10.1.2.3:9650', '10.1.2.3', true],
  ['http://10.1.2.3:9650', '10.1.2.3/32', true],
  ['http://10.1.2.3:9650', '10.1.2.3:9650', true],
  ['http://10.1.2.3:9650', '2.3', false],
  ['http://10.1.2.3:9650', '10.0.0.0/33', false],
  ['http://10.1.2.3:9650', '10.0.0.0/', false],
  ['http://10.1.2.3:9650', '11.0.0.0/8', false],
  ['http://[fd00::7]:9650', 'fd00::/8', true],
  ['http://[fd00::7]:9650', '[fd00::7]:9650', true],
  ['http://[fd00::7]:9650', '[fd00::7]:1', false],
  ['http://[fd00::7]:9650', 'FD00:0:0:0:0:0:0:7', true],
  ['http://[fd00::7]:9650', '[fd00:0::7]:9650', true],
  ['http://[fd00::7]:9650', '[fd00::]/8', true],
  ['http://[fd00::7]:9650', '[fd00::]/8:1', false],
  ['http://[fd00::7]:9650', '[fe00::]/8', false],
  ['http://[fd00::7]:9650', '[fd00::7', false],
  ['http://münchen.example', 'münchen.example', true],
  ['http://node.münchen.example', '.MÜNCHEN.example', true],
  ['http://node.internal:9650', 'node.internal.:9650', true],
  ['http://node.internal.:9650', 'internal', true],
  ['http://node.internal', '.', false],
  ['http://node.internal', '..', false],
])('%s with NO_PROXY=%s goes direct: %s', (url, excepted, isDirect) => {
  expect(named(url, { ...both, no_proxy: excepted }) === undefined).toBe(isDirect);
});

describe('a variable that names no proxy', () => {
  test.each(['ftp://p:21', 'socks5://p:1080', 'http://', 'not a url'])('%s is refused by its name', (value) => {
    expect(() => named('https://a.example', { HTTPS_PROXY: value })).toThrow(
      /The environment variable HTTPS_PROXY names no HTTP proxy: write http:/,
    );
  });
});
