import { gzipSync } from 'node:zlib';
import { csvBounds } from '../../src/core/json/bounds.ts';
import { archive, deflatedZeros } from '../load/archive/archive.ts';

/** A file that a service gives for an export, or that somebody lays into `refs/`. */
export interface HostileFile {
  readonly as: 'export' | 'reference';
  readonly bytes: () => string | Buffer;
  /** Whether it is a table all the same. */
  readonly isTaken?: true;
}

export const columns = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`).join(',');
export const values = (count: number) => Array.from({ length: count }, (_, i) => `${i}.50`).join(',');
const one = { name: 'a.csv', content: 'timestamp,txHash\n2026-01-01,a\n' };
const given = (bytes: HostileFile['bytes']): HostileFile => ({ as: 'export', bytes });
const laid = (bytes: HostileFile['bytes']): HostileFile => ({ as: 'reference', bytes });

/** Files that would take much memory or time, were there no bounds; by what they are. */
export const hostileFiles: Readonly<Record<string, HostileFile>> = {
  'an honest file': {
    as: 'export',
    bytes: () => `timestamp,txHash\n${'2026-01-01,a\n'.repeat(1000)}`,
    isTaken: true,
  },
  '48 bytes of ZIP with a directory of 4 GB': given(() =>
    Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(22), archive([], { count: 1, size: 0xffffffff })]),
  ),
  'a ZIP with a directory beyond 2^53': given(() => archive([one], { wide: { at: 2n ** 64n - 1n } })),
  // Header of a file without a name, and the zeros; it never gets as far as its end.
  '10 GB of zeros in gzip': given(() => Buffer.concat([gzipSync('').subarray(0, 10), deflatedZeros(10 * 1_024)])),
  'a CSV with 20,001 columns': given(() => `${columns(20_001)}\n${values(20_001)}\n`),
  'a CSV with a row longer than its header': given(() => `a,b\n${values(csvBounds.columns + 1)}\n`),
  'a CSV with a row of ten million commas': given(() => `a,b\n1,2\n${','.repeat(1e7)}`),
  'a CSV with a cell that never ends': given(() => `a,b\n1,"${'x'.repeat(2e6)}`),
  'a CSV with a quote that is not closed': given(() => `a,b\n1,"${'x,y\n'.repeat(1e6)}`),
  'a table in refs/ with 30,000 columns': laid(() => `${columns(30_000)}\n1\n`),
  'a table in refs/ with a line of 1.2 MB': laid(() => `a,b\n1,2\n1,${'x'.repeat(1.2e6)}\n`),
  'a table in refs/ as wide as is taken': {
    ...laid(() => `${columns(csvBounds.columns)}\n${`${values(csvBounds.columns)}\n`.repeat(20)}`),
    isTaken: true,
  },
};
