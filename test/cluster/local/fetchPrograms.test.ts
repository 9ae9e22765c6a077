import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { fetchPrograms } from '../../../src/cluster/local/fetchPrograms.ts';
import { programs } from '../../../src/cluster/local/programs.ts';
import { temporary } from '../../temporaryFolders.ts';

/** A server as Trino's is packed: files that two plugins need are one file with two names. */
function packed(folder: string): string {
  const server = join(folder, 'trino-server-476');
  for (const plugin of ['delta-lake', 'hive', 'iceberg', 'exchange-filesystem'])
    mkdirSync(join(server, 'plugin', plugin), { recursive: true });
  mkdirSync(join(server, 'lib'));
  writeFileSync(join(server, 'lib', 'trino.jar'), 'trino');
  writeFileSync(join(server, 'plugin', 'delta-lake', 'sts.jar'), 'sts');
  linkSync(join(server, 'plugin', 'delta-lake', 'sts.jar'), join(server, 'plugin', 'iceberg', 'sts.jar'));
  const file = join(folder, 'server.tar.gz');
  execFileSync('tar', ['czf', file, '-C', folder, '--sort=name', 'trino-server-476']);
  return file;
}

test('of Trino only the plugins that a cluster needs stay, whole', async () => {
  const folder = await temporary();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const mvn = join(bin, 'mvn');
  writeFileSync(
    mvn,
    `#!/bin/sh\ncase "$1" in --version) ;; *) cp '${packed(folder)}' trino-server-476.tar.gz ;; esac\n`,
  );
  chmodSync(mvn, 0o755);
  vi.stubEnv('PATH', [bin, process.env['PATH']].join(delimiter));
  await fetchPrograms(join(folder, 'programs'), { trino: programs.trino }, () => {}).finally(() => vi.unstubAllEnvs());
  const trino = join(folder, 'programs', 'trino');
  expect(readdirSync(join(trino, 'plugin')).sort()).toEqual(['exchange-filesystem', 'hive', 'iceberg']);
  expect(readFileSync(join(trino, 'plugin', 'iceberg', 'sts.jar'), 'utf8')).toBe('sts');
  expect(readFileSync(join(trino, 'lib', 'trino.jar'), 'utf8')).toBe('trino');
});

test('the workflow of the tests installs the bucket server that a cluster fetches', () => {
  const install = programs.gateway.fetch[0].slice(2).join(' ');
  expect(readFileSync('.github/workflows/test.yml', 'utf8')).toContain(install);
});
