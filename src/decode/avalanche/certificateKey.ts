import { createPublicKey, type KeyObject } from 'node:crypto';
import { ByteReader } from '../bytes/byteReader.ts';

const sequence = 0x30;
const integer = 0x02;
const version = 0xa0;

/**
 * The public key of an X.509 certificate in DER. Only the one element that holds the key is parsed: the genesis stakers'
 * certificates have serial numbers that are not positive, for which strict X.509 parsers refuse the whole certificate.
 */
export function certificateKey(certificate: Uint8Array): KeyObject {
  const reader = new ByteReader(certificate);
  enter(reader, sequence, 'certificate');
  enter(reader, sequence, 'certificate body');
  if (reader.bytes[reader.offset] === version) skip(reader, version, 'version');
  skip(reader, integer, 'serial number');
  for (const part of ['signature algorithm', 'issuer', 'validity', 'subject']) skip(reader, sequence, part);
  const start = reader.offset;
  skip(reader, sequence, 'subject public key');
  const der = reader.bytes.subarray(start, reader.offset);
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch (cause) {
    throw Object.assign(reader.error('The public key of the certificate cannot be read'), { cause });
  }
}

/** Steps over an element's tag and length; gives the length of what follows. */
function enter(reader: ByteReader, tag: number, what: string): number {
  const found = reader.u8(`tag of ${what}`);
  if (found !== tag) throw reader.error(`Expected DER tag ${tag} of ${what}, found ${found}`);
  const short = reader.u8(`length of ${what}`);
  if (short < 0x80) return short;
  const octets = short & 0x7f;
  if (octets < 1 || octets > 3) throw reader.error(`Length of ${what} has ${octets} octets`);
  let length = 0;
  for (let i = 0; i < octets; i++) length = length * 256 + reader.u8(`length of ${what}`);
  return length;
}

function skip(reader: ByteReader, tag: number, what: string): void {
  const length = enter(reader, tag, what);
  reader.fixed(length, what);
}
