import { describe, expect, test } from 'vitest';
import { certificateKey } from '../../../src/decode/avalanche/certificateKey.ts';
import { decodeEnvelope, type ProposedEnvelope } from '../../../src/decode/avalanche/envelope.ts';
import { verifySignature } from '../../../src/decode/avalanche/verifySignature.ts';
import { decodeCb58 } from '../../../src/decode/bytes/cb58.ts';
import { decodeHexChecksum } from '../../../src/decode/bytes/hexChecksum.ts';
import { nodeIdOfCertificate } from '../../../src/decode/bytes/nodeId.ts';
import { some } from '../../some.ts';
import { LEDGERS, readChain, readJson } from '../recordedLedger.ts';

interface Count {
  raw: number;
  option: number;
  unsigned: number;
  signed: number;
}

function* envelopes(ledger: string) {
  const { chains } = readJson(`${ledger}/manifest.json`);
  for (const chain of ['c', 'p', 'x'] as const) {
    const chainId = decodeCb58(chains[chain.toUpperCase()].blockchainID);
    for (const { container } of readChain(ledger, chain)) {
      yield { chainId, envelope: decodeEnvelope(decodeHexChecksum(container.bytes)) };
    }
  }
}

function census(ledger: string) {
  const forms: Count = { raw: 0, option: 0, unsigned: 0, signed: 0 };
  const keys: Record<string, number> = {};
  const proposers: Record<string, number> = {};
  for (const { chainId, envelope } of some(envelopes(ledger))) {
    const verdict = verifySignature(envelope, chainId);
    expect(verdict).not.toBe('invalid');
    if (envelope.form === 'raw' || envelope.form === 'option') forms[envelope.form]++;
    else if (verdict === 'unsigned') forms.unsigned++;
    else {
      forms.signed++;
      const type = certificateKey(envelope.certificate).asymmetricKeyType ?? '';
      keys[type] = (keys[type] ?? 0) + 1;
      const proposer = nodeIdOfCertificate(envelope.certificate);
      proposers[proposer] = (proposers[proposer] ?? 0) + 1;
    }
  }
  return { forms, keys, proposers };
}

describe('proposer signatures', () => {
  test('of the signed ledger are all valid, from the proposers that its README counts', () => {
    expect(census('test/fixtures/node-ledger-signed')).toEqual({
      forms: { raw: 0, option: 2, unsigned: 29, signed: 170 },
      keys: { rsa: 135, ec: 35 },
      proposers: {
        'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg': 19,
        'NodeID-GWPcbFJZFfZreETSoWjPimr846mXEKCtu': 31,
        'NodeID-MFrZFVCXPv5iCn6M9K6XduxGTYp891xXZ': 29,
        'NodeID-NFBbbJ4qCmNaCzeW7sxErhvWqvEQMnYcN': 27,
        'NodeID-P7oB2McjBGgW2NXXWVYjV8JEDFoW9xDE5': 29,
        'NodeID-QJtS8WCiGdcPZHEC2iYa71mP1AZmSjgys': 35,
      },
    });
  });

  test('of the ledger of the forks are all valid', () => {
    const { forms, keys } = census('test/fixtures/node-ledger-forks');
    expect(forms).toEqual({ raw: 110, option: 49, unsigned: 212, signed: 48 });
    expect(keys).toEqual({ ec: 48 });
  });

  test('of the main ledger are absent', () => {
    expect(census('devnet/ledger').forms).toEqual({ raw: 0, option: 22, unsigned: 6218, signed: 0 });
  });

  test('are invalid for another chain, parent, body or certificate', () => {
    const signed = [...envelopes(LEDGERS[1] as string)].filter(
      ({ chainId, envelope }) => verifySignature(envelope, chainId) === 'valid',
    );
    const { chainId, envelope } = signed[0] as { chainId: Buffer; envelope: ProposedEnvelope };
    const other = signed.find((one) => !(one.envelope as ProposedEnvelope).certificate.equals(envelope.certificate));
    if (!other) throw new Error('the recording has one signer only');
    const { certificate, id, signature } = other.envelope as ProposedEnvelope;
    expect(verifySignature(envelope, Buffer.alloc(32, 7))).toBe('invalid');
    expect(verifySignature({ ...envelope, parentId: Buffer.alloc(32, 7) }, chainId)).toBe('invalid');
    expect(verifySignature({ ...envelope, id }, chainId)).toBe('invalid');
    expect(verifySignature({ ...envelope, certificate }, chainId)).toBe('invalid');
    expect(verifySignature({ ...envelope, signature }, chainId)).toBe('invalid');
    expect(verifySignature({ ...envelope, certificate: Buffer.alloc(0) }, chainId)).toBe('invalid');
  });

  test('need a certificate that holds a key', () => {
    const wrong = Buffer.from('3006300402010a3000', 'hex');
    expect(() => certificateKey(wrong)).toThrow(/signature algorithm|tag of/);
    expect(() => certificateKey(Buffer.from('0102', 'hex'))).toThrow('Expected DER tag 48 of certificate, found 1');
  });
});
