import fc from 'fast-check';
import { afterAll } from 'vitest';
import { fuzzRuns, isFuzz } from './fuzzRuns.ts';
import './oneDuckdbThread.ts';
import { sayWhatHangs } from './sayWhatHangs.ts';
import { removeTemporary } from './temporaryFolders.ts';

// Runs for every file. A hook in a module that files share would be heard after the first of them only.
afterAll(removeTemporary);
sayWhatHangs();

// The same cases each time, so that what fails is the change; `npm run fuzz` tries others.
fc.configureGlobal({ numRuns: fuzzRuns(100), ...(isFuzz ? {} : { seed: 1 }) });
