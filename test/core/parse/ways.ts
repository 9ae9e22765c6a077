import { RawValue } from '../../../src/core/json/rawValue.ts';

/** How records come: as parsed objects, and as their bytes. */
export const ways: readonly [string, (record: unknown) => unknown][] = [
  ['parsed', (record) => record],
  ['unparsed', RawValue.from],
];
