import { isIP } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { download } from '../../src/extract/download/download.ts';
import type { Resolve } from '../../src/extract/download/downloadGuard.ts';
import { localServer } from '../extract/localServer.ts';
import { temporary } from '../temporaryFolders.ts';

/** Ways to write the host of a URL that leads inside. */
const notations = [
  // This machine.
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '127.0.0.1.',
    '127.000.000.001',
    '127.255.255.254',
    '0',
    '0.0.0.0',
    '00.0.0.0',
    '0x0',
  ],
  ...[
    '2130706433',
    '0x7f000001',
    '0X7F000001',
    '0x7f.1',
    '0x7f.0.0.1',
    '0x7f.0x0.0x0.0x1',
    '017700000001',
    '0177.1',
    '0177.0.0.01',
  ],
  ...[
    '00000177.0.0.1',
    '%31%32%37.0.0.1',
    '127%2e0%2e0%2e1',
    '１２７.０.０.１',
    '127。0。0。1',
    '①②⑦.⓪.⓪.①',
    '１２７．１',
  ],
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::]', '[::127.0.0.1]', '[::7f00:1]'],
  ...[
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:FFFF:7F00:1]',
    '[::ffff:0:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
  ],
  ...['user:secret@127.0.0.1', 'public.example@127.1', 'public.example:80@0x7f.1'],
  // Metadata services of clouds.
  ...[
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '0251.0376.0251.0376',
    '169.254.43518',
    '[::ffff:a9fe:a9fe]',
    '[fd00:ec2::254]',
  ],
  ...['168.63.129.16', '100.100.100.200', '192.0.0.192'],
  // Networks inside.
  ...[
    '10.1',
    '10.0.0.1',
    '0x0a000001',
    '012.0.0.1',
    '172.16.1',
    '172.31.255.255',
    '192.168.257',
    '192.168.1.1',
    '0300.0250.1.1',
  ],
  ...[
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '[fc00::1]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
  ],
  // Names that mean such an address.
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'anything.localhost',
    '127.0.0.1.names.example',
    'six.example',
    'both.example',
    'xn--inside-.example',
  ],
] as const;

const addresses: Readonly<Record<string, readonly string[]>> = {
  'six.example': ['::1'],
  'both.example': ['93.184.216.34', '10.0.0.1'],
};
/** As a header holds it. */
const asciiOf = (text: string) => text.replace(/[^!-~]/gu, encodeURIComponent);
const resolve: Resolve = (host, _, found) =>
  found(
    null,
    (addresses[host] ?? ['127.0.0.1']).map((address) => ({ address, family: isIP(address) })),
  );

test('there are more than 60, and no two are alike', () => {
  expect(new Set(notations).size).toBe(notations.length);
  expect(notations.length).toBeGreaterThan(60);
});

test.each(['at once', 'by a redirect'])('none of them leads inside: %s', async (how) => {
  const inside = await localServer((response) => response.end('secret'));
  const { port } = new URL(inside.url);
  const folder = await temporary();
  const outside = await localServer((response, _, { url }) =>
    response.writeHead(302, { location: asciiOf(decodeURIComponent(url.slice(1))) }).end(),
  );
  for (const [n, notation] of notations.entries()) {
    const target = `http://${notation}:${port}/file`;
    const url = how === 'at once' ? target : `${outside.url}/${encodeURIComponent(target)}`;
    const places = { origin: outside.url, hosts: [] };
    const fetched = download({
      url,
      places,
      file: join(folder, `${n}`),
      maxBytes: 1e6,
      retry: { attempts: 1 },
      resolve,
    });
    await expect(fetched, notation).rejects.toMatchObject({ code: 'refused', context: { reason: 'not_public' } });
  }
  expect(inside.connections()).toBe(0);
  expect(outside.received).toHaveLength(how === 'at once' ? 0 : notations.length);
});
