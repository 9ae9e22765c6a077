import { Buffer } from 'node:buffer';
import { verify } from 'node:crypto';
import { certificateKey } from './certificateKey.ts';
import type { Envelope } from './envelope.ts';

const codecVersion = Buffer.alloc(2);

/** `unsigned`: the container has no proposer's signature, which the rules allow for some blocks. */
export type SignatureVerdict = 'valid' | 'invalid' | 'unsigned';

/**
 * Verifies the proposer's signature of a container: RSA PKCS#1 v1.5 or ECDSA, both over the SHA-256 of
 * `u16 0 | chain id | parent id | container id`. `chainId` is the 32-byte blockchain id (32 zero bytes for the P-Chain).
 */
export function verifySignature(envelope: Envelope, chainId: Uint8Array): SignatureVerdict {
  if (envelope.form === 'raw' || envelope.form === 'option') return 'unsigned';
  if (envelope.certificate.length === 0) return envelope.signature.length === 0 ? 'unsigned' : 'invalid';
  const message = Buffer.concat([codecVersion, chainId, envelope.parentId, envelope.id]);
  const key = certificateKey(envelope.certificate);
  return verify('sha256', message, key, envelope.signature) ? 'valid' : 'invalid';
}
