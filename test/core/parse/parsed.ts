import { parseRecords } from '../../../src/core/parse/parseRecords.ts';
import { objectsOf } from './objectsOf.ts';

/** What `parseRecords` gives, as plain objects. */
export const parsed = (...given: Parameters<typeof parseRecords>) => objectsOf(parseRecords(...given));
