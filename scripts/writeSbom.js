import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLock, runtimePackages } from './readLock.js';

// Prints the software bill of materials (CycloneDX) of what an installation has, on all platforms. `npm sbom --omit dev` would leave out what
// development needs, too (zod, yaml), so npm is shown a project without development. Needs no network and nothing installed.

const temporary = mkdtempSync(join(tmpdir(), 'firn-sbom-'));
try {
  const { devDependencies: _, workspaces: __, ...own } = JSON.parse(readFileSync('package.json', 'utf8'));
  const { dependencies: bundled } = JSON.parse(readFileSync('devnet/package.json', 'utf8'));
  // The embedded network is packed with what it needs.
  const manifest = { ...own, dependencies: { ...bundled, ...own.dependencies } };
  const { name, version, dependencies } = manifest;
  const root = { name, version, dependencies };
  const lock = { ...readLock(), packages: { '': root, ...Object.fromEntries(runtimePackages(readLock())) } };
  // npm calls the project by its folder.
  const folder = join(temporary, manifest.name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  const command = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
  process.stdout.write(execFileSync('npm', command, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] }));
} finally {
  rmSync(temporary, { recursive: true });
}
