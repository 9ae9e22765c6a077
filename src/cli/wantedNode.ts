import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../load/packageRoot.ts';

/** The versions of Node that firn runs on, as its package.json has them. */
export function wantedNode(): string {
  const { engines } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  return engines.node;
}
