import { expect, test } from 'vitest';
import { lacksMethod } from '../../../src/core/requests/lacksMethod.ts';

test.each([
  ['the method debug_traceBlockByNumber does not exist/is not available', true],
  ['debug_traceBlockByNumber is not available on the Free tier', true],
  ['method is not available on freetier', true],
  ['Unsupported method: eth_getBlockReceipts', true],
  ['rpc method is not whitelisted', true],
  ['Method not allowed', true],
  ['the debug namespace is disabled', true],
  ['method debug_traceBlockByNumber is not enabled', true],
  ['Method disabled, reason: restricted by blockchain schema', true],
  ['Archive, Debug and Trace requests are not available on your current plan.', true],
  ['debug_traceBlockByNumber is not included in your current plan', true],
  ['debug methods are not permitted', true],
  ["Can't route your request to suitable provider, if you specified certain providers revise the list", true],
  ['method debug_traceBlockByNumber is temporarily disabled', false],
  ['debug_traceBlockByNumber: block #1756 not found', false],
  ['eth_getBlockReceipts: cannot query unfinalized data', false],
  ['debug_traceTransaction: missing trie node 5b (path ) state 0x5b is not available', false],
  ['genesis is not traceable', false],
])('%s: %s', (message, expected) => {
  expect(lacksMethod(message)).toBe(expected);
});
