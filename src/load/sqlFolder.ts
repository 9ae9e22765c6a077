import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A folder of the package's `sql/`, wherever this file was built to. */
export function sqlFolder(name: 'schema' | 'models' | 'audits' | 'queries' | 'notebooks'): string {
  return join(packageRoot(), 'sql', name);
}

function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
