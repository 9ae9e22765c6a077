import { afterAll } from 'vitest';
import './oneDuckdbThread.ts';
import { removeTemporary } from './temporaryFolders.ts';

// Runs for every file. A hook in a module that files share would be heard after the first of them only.
afterAll(removeTemporary);
