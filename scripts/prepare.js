import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

// Builds a clone that npm installed. It is a script of the workspace devnet, which is in no tarball: whoever installs firn has none to review or run.

const root = new URL('..', import.meta.url);
if (existsSync(new URL('node_modules/typescript', root))) {
  const { status } = spawnSync('npm', ['run', 'build'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
} else {
  console.log('firn is not built: that needs its development dependencies (npm ci without --omit=dev).');
}
