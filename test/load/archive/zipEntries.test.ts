import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { zipEntries } from '../../../src/load/archive/zipEntries.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';
import { temporary } from '../../temporaryFolders.ts';
import { archive, deflatedZeros, type Packed } from './archive.ts';

/** Reads all of an archive: how many bytes came, by name. */
async function lengthsOf(content: Buffer, maxBytes = 1e6): Promise<Record<string, number>> {
  const file = join(await temporary(), 'file.zip');
  await writeFile(file, content);
  const lengths: Record<string, number> = {};
  for (const { name, read } of await zipEntries(file, maxBytes)) {
    lengths[name] = 0;
    for await (const chunk of read()) lengths[name] += chunk.length;
  }
  expect(await readdir(join(file, '..'))).toEqual(['file.zip']);
  return lengths;
}

const csv = 'a,b\n1,2\n';
const one: Packed = { name: 'a.csv', content: csv };
const two: Packed = { name: 'b.csv', content: csv.repeat(2) };

test('reads stored and deflated files, in the order of the directory, and those of zip64', async () => {
  const stored = { ...two, method: 0 };
  expect(await lengthsOf(archive([one, { name: 'folder/' }, stored]))).toEqual({ 'a.csv': 8, 'b.csv': 16 });
  expect(await lengthsOf(archive([]))).toEqual({});
  const wide = archive([one, { ...stored, wide: { size: 16n, packed: 16n } }], { wide: {}, count: 0xffff });
  expect(await lengthsOf(wide)).toEqual({ 'a.csv': 8, 'b.csv': 16 });
  // The bit that says that sizes follow the content: those of the directory count.
  expect(await lengthsOf(archive([{ ...one, flags: 8 }]))).toEqual({ 'a.csv': 8 });
});

const beyond = 2n ** 53n + 1n;
const most = 2n ** 64n - 1n;
const outside = 'it points to bytes outside the file';

test.each<[string, Buffer, string]>([
  ['a directory said to have 4 GB', archive([one], { size: 0xffffffff, offset: 0xffffffff }), outside],
  ['a directory that lies behind the end', archive([one], { offset: 0x7fffffff }), outside],
  ['a directory that begins in the middle', archive([one], { offset: 1 }), 'invalid central directory'],
  ['more entries than are read', archive([one], { count: 0xffff }), 'it names 65535 entries, and at most 1000'],
  ['more entries than there are', archive([one], { count: 2 }), outside],
  ['fewer entries than there are', archive([one, two], { count: 1 }), 'directory does not end where it says'],
  ['no entry where there is one', archive([one], { count: 0 }), 'directory does not end where it says'],
  ['a count beyond 2^53', archive([one], { wide: { count: beyond } }), 'it names 9007199254740992 entries'],
  ['a directory beyond 2^53', archive([one], { wide: { offset: beyond } }), outside],
  ['no entry, and a directory beyond 2^53', archive([], { wide: { offset: most } }), outside],
  ['a record of zip64 beyond 2^53', archive([one], { wide: { at: beyond } }), outside],
  ['a record of zip64 at the last of all bytes', archive([one], { wide: { at: most } }), outside],
  ['a header beyond 2^53', archive([{ ...one, wide: { offset: most } }]), outside],
  ['a file said to have 2^64 bytes', archive([{ ...one, wide: { size: most } }]), 'would grow from'],
  ['a packed file said to have 2^64 bytes', archive([{ ...one, wide: { packed: most } }]), 'overflows file bounds'],
  ['one header for two files', archive([one, { ...two, offset: 0 }]), 'shares its bytes with the entry after it'],
  ['a file that reaches into the next', archive([{ ...one, packed: 30 }, two]), 'a.csv shares its bytes'],
  ['a file that reaches into the directory', archive([{ ...one, packed: 60 }]), 'a.csv shares its bytes'],
  ['a name that climbs', archive([{ ...one, name: '../../a.csv' }]), 'invalid relative path: ../../a.csv'],
  ['a name that climbs on Windows', archive([{ ...one, name: '..\\a.csv' }]), 'invalid relative path'],
  ['a name with a root', archive([{ ...one, name: '/etc/a.csv' }]), 'absolute path: /etc/a.csv'],
  ['a name with a root on Windows', archive([{ ...one, name: 'C:\\a.csv' }]), 'absolute path'],
  ['a name with NUL', archive([{ ...one, name: 'a\0.csv' }]), 'a\\u{0}.csv is a name with control characters'],
  [
    'a name with an escape',
    archive([{ ...one, name: '\u001b[2J.csv', flags: 0x800 }]),
    '\\u{1b}[2J.csv is a name with control',
  ],
  ['a name of 60,000', archive([{ ...one, name: `../${'x'.repeat(60_000)}` }]), '… (cut)'],
  ['a name twice', archive([one, one]), 'a.csv is in it twice'],
  ['an encrypted file', archive([{ ...one, flags: 1 }]), 'a.csv is encrypted'],
  ['strong encryption', archive([{ ...one, flags: 0x41 }]), 'strong encryption is not supported'],
  ['another method', archive([{ ...one, method: 99 }]), 'compressed by method 99, and only deflate (8) is read'],
  ['a wrong CRC', archive([{ ...one, crc: 1 }]), 'a.csv is damaged'],
  ['a file shorter than said', archive([{ ...one, size: 9 }]), 'a.csv is damaged'],
  ['a file longer than said', archive([{ ...one, size: 7 }]), 'a.csv is damaged'],
  ['a stored file of another length', archive([{ ...one, method: 0, size: 9 }]), 'size mismatch for stored file'],
  ['nothing packed of something', archive([{ ...one, raw: Buffer.alloc(0) }]), 'a.csv is damaged'],
  ['an extra field longer than all', archive([{ ...one, extra: Buffer.from([9, 9, 255, 255]) }]), 'extra field length'],
  ['no archive', Buffer.alloc(100), 'Either not a zip file, or file is truncated'],
  ['less than an end record', Buffer.from('PK\u0003\u0004'), 'Either not a zip file, or file is truncated'],
])('refuses %s with a sentence', async (_, content, message) => {
  await expect(lengthsOf(content)).rejects.toMatchObject({
    code: 'contract',
    message: expect.stringMatching(
      /^\S+\/file\.zip cannot be read as a zip archive: .{1,320}\. (Remove the file|Raise)/,
    ),
  });
  await expect(lengthsOf(content)).rejects.toThrow(message);
});

test('an archive that was cut anywhere is refused', async () => {
  const content = archive([one, two]);
  for (let length = 0; length < content.length; length++) {
    await expect(lengthsOf(content.subarray(0, length))).rejects.toMatchObject({ code: 'contract' });
  }
});

test('what unpacks to more than is taken, by one file or by all, is refused before anything is unpacked', {
  tags: 'long',
}, async () => {
  const files = Array.from({ length: 10 }, (_, i) => ({ name: `${i}.csv`, content: 'a'.repeat(100) }));
  expect(Object.keys(await lengthsOf(archive(files), 1_000))).toHaveLength(10);
  await expect(lengthsOf(archive(files), 999)).rejects.toThrow('it unpacks to more than 999 bytes. Raise --max-bytes.');
  await expect(lengthsOf(archive(files.slice(0, 1)), 99)).rejects.toThrow('more than 99 bytes');
  const thousand = Array.from({ length: 1_001 }, (_, i) => ({ name: `${i}`, content: 'a' }));
  await expect(lengthsOf(archive(thousand))).rejects.toThrow('it names 1001 entries, and at most 1000 are read');
  expect(Object.keys(await lengthsOf(archive(thousand.slice(1))))).toHaveLength(1_000);
});

test('ten gigabytes of zeros in ten megabytes are refused, whatever is said of them', async () => {
  const raw = deflatedZeros(10 * 1_024);
  const said = (size: bigint) => archive([{ name: 'zeros.csv', raw, wide: { size }, crc: 0 }]);
  const gigabytes = 10n * 2n ** 30n;
  await expect(lengthsOf(said(gigabytes), 1e12)).rejects.toThrow('to 10737418240 bytes, as no table would');
  // An entry that claims to be small is given up at the first byte beyond that.
  await expect(lengthsOf(said(100_000n), 1e12)).rejects.toThrow('zeros.csv is damaged');
});

test('whatever bytes are changed, an archive is read or refused', async () => {
  const whole = archive([one, { ...two, wide: { size: 16n, packed: 10n } }], { wide: {} });
  const change = fc.tuple(fc.nat(whole.length - 1), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      const content = Buffer.from(whole);
      for (const [at, value] of changes) content[at] = value;
      const error = await lengthsOf(content).catch((thrown: unknown) => thrown);
      if (error instanceof FirnError) expect(error.code).toBe('contract');
      // Errors of zlib are made sentences where text is made of the bytes.
      else if (error instanceof Error) expect((error as NodeJS.ErrnoException).code).toMatch(/^Z_/);
    }),
    { numRuns: fuzzRuns(300) },
  );
});
