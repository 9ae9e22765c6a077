import { bits } from './bits.ts';
import { shortForm } from './shortForm.ts';

// One of each kind of file; `test/hostile/bits.test.ts` flips hundreds in manifests and reader databases, without processes.
shortForm([[bits, [1, 2, 3, 6, 7, 8, 9]]]);
