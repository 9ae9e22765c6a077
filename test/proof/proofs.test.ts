import { bits } from './bits.ts';
import { killed, kills } from './kills.ts';
import { pairs } from './pairs.ts';
import { shortForm } from './shortForm.ts';

/** One kill of each of these; the long form kills every command that writes. */
const short = ['run', 'sync', 'publish', 'publish --repair', 'backfill', 'state drop', 'migration'];
const killOf = (name: string) => killed.length + killed.findIndex((one) => one.name === name);

// In one file: the warehouses that are hurt are copies of the same ones.
shortForm(
  [
    [kills, short.map(killOf)],
    [pairs, [1, 2, 11]],
    // One of each kind of file; `test/hostile/bits.test.ts` flips hundreds in manifests and reader databases, without processes.
    [bits, [1, 2, 3, 6, 7, 8, 9]],
  ],
  [`kills:${killOf('sync')}`, 'pairs:11', 'bits:8'],
);
