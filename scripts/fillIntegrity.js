import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { nameOf, readLock, registryPackages } from './readLock.js';

// npm leaves the integrity of a package out of the lock file where its registry did not say it, for other platforms above all. This asks the
// registry again, and writes what it says into the lock file. Ends with 1 as long as the lock file that was committed is not whole.

const lock = readLock();
const missing = registryPackages(lock).filter(([, entry]) => !entry.integrity);
for (const [path, { version, ...rest }] of missing) {
  const name = `${nameOf(path, rest)}@${version}`;
  try {
    const said = execFileSync('npm', ['view', name, 'dist.integrity'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const integrity = /^sha512-\S{88}$/.exec(said.trim())?.[0];
    if (!integrity) throw new Error('no sha512');
    lock.packages[path] = { version, integrity, ...rest };
    console.log(`${name}: ${integrity}`);
  } catch {
    console.log(`${name}: the registry does not say it`);
  }
}
if (missing.length > 0) {
  writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
  console.log('Commit package-lock.json, and take what it has now off the list in test/supply.test.ts.');
  process.exitCode = 1;
}
