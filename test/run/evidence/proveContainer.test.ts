import { expect, test } from 'vitest';
import { decodeEnvelope, type Envelope } from '../../../src/decode/avalanche/envelope.ts';
import { verifySignature } from '../../../src/decode/avalanche/verifySignature.ts';
import { decodeCb58 } from '../../../src/decode/bytes/cb58.ts';
import { sha256 } from '../../../src/decode/bytes/hashes.ts';
import { decodeHexChecksum } from '../../../src/decode/bytes/hexChecksum.ts';
import { createEvidence } from '../../../src/run/evidence/evidenceLinks.ts';
import type { ContainerRow } from '../../../src/run/evidence/evidenceRows.ts';
import { proveContainer } from '../../../src/run/evidence/proveContainer.ts';
import { readChain, readJson } from '../../decode/recordedLedger.ts';
import { some } from '../../some.ts';

const ledger = 'test/fixtures/node-ledger-forks';
const chainId = decodeCb58(readJson(`${ledger}/manifest.json`).chains.P.blockchainID);
const held: ContainerRow[] = readChain(ledger, 'p').map(({ container: { id, bytes } }) => {
  return { id, bytes: decodeHexChecksum(bytes), previousId: null };
});
const first = (isWanted: (envelope: Envelope) => boolean) =>
  some(held.filter(({ bytes }) => isWanted(decodeEnvelope(bytes))))[0] as ContainerRow;
const signed = first((envelope) => verifySignature(envelope, chainId) === 'valid');
const unsigned = first((envelope) => verifySignature(envelope, chainId) === 'unsigned' && envelope.form !== 'raw');
const raw = first(({ form }) => form === 'raw');

const other = '2QouvFVDiS4mNaeGD6FUPDhaoKnGCLhSSAoUYgqoWQ8PGAvLVG';

test.each([
  ['signed by its proposer', signed, chainId, { signature: 'proven', container: 'proven' }],
  ['signed for another chain', signed, new Uint8Array(32).fill(7), { signature: 'broken', container: 'proven' }],
  ['signed, of a chain that is not known', signed, null, { signature: 'not_covered', container: 'proven' }],
  ['not signed', unsigned, chainId, { signature: 'not_applicable', container: 'proven' }],
])('a container that is %s', (_, container, blockchainId, wanted) => {
  const evidence = createEvidence();
  proveContainer(evidence, container, blockchainId, sha256);
  expect(evidence.build(1, '').links).toMatchObject(wanted);
});

test.each([
  ['without envelope, which names none', raw, 'proven'],
  ['with one', signed, 'broken'],
])('a container %s, behind another than its parent', (_, container, wanted) => {
  const evidence = createEvidence();
  proveContainer(evidence, { ...container, previousId: other }, chainId, sha256);
  expect(evidence.build(1, '').links.container).toBe(wanted);
});
