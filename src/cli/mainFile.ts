import { join } from 'node:path';
import { packageRoot } from '../load/packageRoot.ts';

/** The built command line, for those that start it in a process of its own. */
export const mainFile = (): string => join(packageRoot(), 'dist', 'cli', 'main.js');
