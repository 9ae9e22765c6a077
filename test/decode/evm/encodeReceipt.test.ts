import { expect, test } from 'vitest';
import { encodeReceipt } from '../../../src/decode/evm/encodeReceipt.ts';
import { listRoot } from '../../../src/decode/evm/listRoot.ts';

test('a receipt from before Byzantium has a state root in place of its status', () => {
  // Of the first block of Ethereum with a transaction, 46147.
  const receipt = encodeReceipt({
    type: 0,
    status: null,
    root: '0x96a8e009d2b88b1483e6941e6812e32263b05683fac202abc622a3e31aed1957',
    cumulativeGasUsed: 21_000n,
    bloom: new Uint8Array(256),
    logs: [],
  });
  expect(`0x${listRoot([receipt]).toString('hex')}`).toBe(
    '0xfe2bf2a941abf41d72637e5b91750332a30283efd40c424dc522b77e6f0ed8c4',
  );
});
