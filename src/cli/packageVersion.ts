import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../load/packageRoot.ts';

/** The version of this program. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }).version;
}
