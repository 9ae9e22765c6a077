import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { nameOf, readLock, runtimePackages } from './readLock.js';

// Writes dist/THIRD_PARTY_LICENSES.txt from what is installed, before the package is packed: its command line is a bundle, into which the
// licences of what it is made of do not come along. Binaries for other platforms are not installed here; theirs is that of the binary that is.

function textsOf(folder) {
  const names = readdirSync(folder).sort();
  const read = (name) => readFileSync(`${folder}/${name}`, 'utf8').trim();
  const own = names.filter((name) => /^(?:licen[cs]e|notice|copying)(?:[.-].*)?$/i.test(name)).map(read);
  if (own.length > 0) return own;
  const readme = names.filter((name) => /^readme/i.test(name)).map(read);
  const section = /^#+ *licen[cs]e\b[\s\S]*/im.exec(readme.join('\n'))?.[0];
  if (!section) throw new Error(`${folder} has no licence: see what its package says, and whether firn may ship it.`);
  return [section];
}

const sections = runtimePackages(readLock()).map(([path, entry]) => {
  const texts = entry.optional && !existsSync(path) ? [] : textsOf(path);
  return [`${nameOf(path, entry)} ${entry.version} (${entry.license})`, ...texts].join('\n\n');
});
mkdirSync('dist', { recursive: true });
writeFileSync('dist/THIRD_PARTY_LICENSES.txt', `${sections.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
