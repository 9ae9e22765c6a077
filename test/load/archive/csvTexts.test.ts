import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipOf } from 'firn-devnet';
import { expect, test } from 'vitest';
import { csvTexts, packingOf } from '../../../src/load/archive/csvTexts.ts';
import { temporary } from '../../temporaryFolders.ts';
import { archive } from './archive.ts';

const csv = 'a,b\n"names, with ""quotes""",🦊\n';

async function textsOf(content: Uint8Array | string, maxBytes = 1e6): Promise<string[]> {
  const file = join(await temporary(), 'file');
  await writeFile(file, content);
  const texts: string[] = [];
  for (const chunks of await csvTexts(file, maxBytes)) {
    let text = '';
    for await (const chunk of chunks) text += chunk;
    texts.push(text);
  }
  return texts;
}

test.each<[string, Uint8Array | string]>([
  ['plain text', csv],
  ['gzip', gzipSync(csv)],
  ['gzip of several members', Buffer.concat([gzipSync(csv.slice(0, 5)), gzipSync(csv.slice(5))])],
  ['zip', zipOf('rows.csv', Buffer.from(csv))],
])('reads %s', async (_, content) => {
  expect(await textsOf(content)).toEqual([csv]);
});

test('reads every CSV of an archive and nothing else', async () => {
  const files = [
    { name: 'folder/', content: '' },
    { name: 'folder/one.csv', content: csv },
    { name: 'two.CSV', content: 'x\n', method: 0 },
    { name: 'README.txt', content: 'not rows' },
    { name: '__MACOSX/._one.csv', content: 'junk' },
    { name: 'empty.csv', content: '' },
  ];
  expect(await textsOf(archive(files))).toEqual([csv, 'x\n', '']);
  expect(await textsOf(archive([{ name: 'data', content: csv }]))).toEqual([csv]);
  expect(await textsOf(archive([]))).toEqual([]);
});

test.each<[string, Uint8Array | string, string]>([
  ['a damaged checksum', archive([{ name: 'a.csv', content: csv, crc: 7 }]), 'its length or checksum is wrong'],
  ['an encrypted file', archive([{ name: 'a.csv', content: csv, flags: 1 }]), 'a.csv is encrypted'],
  ['an unknown compression', archive([{ name: 'a.csv', content: csv, method: 12 }]), 'compressed by method 12'],
  ['an archive that was cut', zipOf('a.csv', Buffer.from(csv)).subarray(0, -10), 'file is truncated'],
  ['a gzip that was cut', gzipSync(csv.repeat(100)).subarray(0, 60), 'it is damaged'],
  ['bytes that are no UTF-8', Buffer.from([0x61, 0x0a, 0xff, 0x0a]), 'it is not UTF-8'],
  ['UTF-8 that ends in the middle', Buffer.from(csv).subarray(0, -3), 'it is not UTF-8'],
  ['a page of an error', '<?xml version="1.0"?><Error/>', 'HTML or XML'],
])('says what is wrong with %s', async (_, content, message) => {
  await expect(textsOf(content)).rejects.toMatchObject({ code: 'contract', message: expect.stringContaining(message) });
});

test('a small file that unpacks to a huge one is cut off', async () => {
  const bomb = 'a'.repeat(100_000);
  for (const content of [gzipSync(bomb), zipOf('a.csv', Buffer.from(bomb)), bomb]) {
    await expect(textsOf(content, 50_000)).rejects.toMatchObject({
      code: 'contract',
      message: expect.stringContaining('--max-bytes'),
    });
  }
});

test('a file is known by its bytes, not by its name', async () => {
  const folder = await temporary();
  const file = join(folder, 'rows.zip');
  await writeFile(file, csv);
  expect(await packingOf(file)).toBe('csv');
});
