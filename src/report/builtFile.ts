import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const kept = new Map<string, string>();

/** Where `bundle.js` puts the files that pages and child processes are made from, seen from the sources and from the bundle. */
export const builtFile = (name: string): string =>
  fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? `../../dist/cli/${name}` : `./${name}`, import.meta.url));

/** Text of such a file, read once. */
export function builtText(name: string): string {
  const text = kept.get(name) ?? readFileSync(builtFile(name), 'utf8');
  kept.set(name, text);
  return text;
}
