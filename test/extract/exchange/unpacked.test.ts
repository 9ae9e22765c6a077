import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bounds } from '../../../src/core/json/bounds.ts';
import { createGathered } from '../../../src/extract/exchange/gathered.ts';
import { unpacked } from '../../../src/extract/exchange/unpacked.ts';

const MiB = 2 ** 20;

test('memory that zlib may still read in its thread is not given back where an answer is too large', async () => {
  const packed = gzipSync(randomBytes(6 * MiB), { level: 0 });
  const wire = createGathered(8 * MiB);
  wire.add(packed);
  const small = { ...bounds.page, bytes: MiB };
  await expect(unpacked(wire, 'gzip', small, () => undefined)).rejects.toMatchObject({
    context: { reason: 'too_large' },
  });
  expect(wire.bytes().equals(packed)).toBe(true);
});
