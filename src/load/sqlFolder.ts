import { join } from 'node:path';
import { packageRoot } from './packageRoot.ts';

/** A folder of the package's `sql/`, wherever this file was built to. */
export const sqlFolder = (
  name: 'schema' | 'models' | 'audits' | 'queries' | 'notebooks' | 'cluster' | 'trino',
): string => join(packageRoot(), 'sql', name);
