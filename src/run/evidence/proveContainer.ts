import { decodeEnvelope, type Envelope } from '../../decode/avalanche/envelope.ts';
import { verifySignature } from '../../decode/avalanche/verifySignature.ts';
import { encodeCb58 } from '../../decode/bytes/cb58.ts';
import type { EvidenceBuilder } from './evidenceLinks.ts';
import type { ContainerRow } from './evidenceRows.ts';

/**
 * The outermost links: the proposer's signature, the container's id, and the container it names as its parent.
 *
 * @param blockchainId 32 bytes of the chain's id, which the signature covers
 * @param innerId id of the inner block: what a container without envelope is called by
 */
export function proveContainer(
  evidence: EvidenceBuilder,
  container: ContainerRow,
  blockchainId: Uint8Array | null,
  innerId: (inner: Uint8Array) => Uint8Array,
): Envelope {
  const envelope = decodeEnvelope(container.bytes);
  const signature = blockchainId ? verifySignature(envelope, blockchainId) : null;
  if (signature === null) evidence.leave('signature', 'not_covered');
  else if (signature === 'unsigned') evidence.leave('signature', 'not_applicable');
  else {
    evidence.check('signature', signature === 'valid', () => `of container ${container.id} is not the proposer's`);
  }
  const id = encodeCb58(envelope.form === 'raw' ? innerId(envelope.inner) : envelope.id);
  evidence.check('container', id === container.id, () => `id of the bytes is ${id}, the row says ${container.id}`);
  if (envelope.form !== 'raw' && container.previousId !== null) {
    const parent = encodeCb58(envelope.parentId);
    const { previousId } = container;
    evidence.check(
      'container',
      parent === previousId,
      () => `names the parent ${parent}, but the one before it is ${previousId}`,
    );
  }
  return envelope;
}
