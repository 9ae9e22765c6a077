import { killed, kills } from './kills.ts';
import { pairs } from './pairs.ts';
import { shortForm } from './shortForm.ts';

/** One kill of each of these; the long form kills every command that writes. */
const short = ['run', 'sync', 'publish', 'publish --repair', 'backfill', 'state drop', 'migration'];

shortForm([
  [kills, short.map((name) => killed.length + killed.findIndex((one) => one.name === name))],
  [pairs, [1, 2]],
]);
