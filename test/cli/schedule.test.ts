import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { mainFile } from '../../src/load/packageFiles.ts';
import { temporary } from '../temporaryFolders.ts';
import { runHere } from './cliHarness.ts';

/** The lines that are printed for one pipeline of a configuration in a folder of this name. */
async function printed(name: string, kind: string, pipeline = 'primary') {
  const folder = join(await temporary(), name);
  await mkdir(folder);
  const config = join(folder, 'firn.yaml');
  await writeFile(config, `sources: {}\npipelines: { "${pipeline}": { schedule: "*/10 * * * *", streams: {} } }`);
  const { code, out } = await runHere(['--config', config, 'schedule', '--print', kind]);
  expect(code).toBe(0);
  return { folder, config, out };
}

/** What a shell makes of the words of a crontab's command. */
async function wordsOf(line: string): Promise<string[]> {
  const command = line.split(' ').slice(5).join(' ').replaceAll('\\%', '%').replace(' 2>&1', '').replace(' >> ', ' ');
  const { stdout } = await promisify(execFile)('sh', ['-c', `printf '%s\\n' ${command}`]);
  return stdout.trimEnd().split('\n');
}

test.each(['plain', 'two words', "it's 100 %$HOME"])(
  'a line for cron starts this very firn, in a folder called %s',
  async (name) => {
    const { folder, config, out } = await printed(name, 'cron');
    const [, zone, line = ''] = out.split('\n');
    expect(zone).toBe('CRON_TZ=UTC');
    expect(line.replaceAll('\\%', '')).not.toContain('%');
    expect(await wordsOf(line)).toEqual([
      process.execPath,
      mainFile(),
      ...['--quiet', '--config', config, 'run', '--pipeline', 'primary'],
      join(folder, 'firn.log'),
    ]);
  },
);

test('a systemd unit starts this very firn', async () => {
  const { folder, config, out } = await printed('two words, 100 %$HOME', 'systemd');
  const word = config.replaceAll('%', '%%').replaceAll('$', '$$$$');
  expect(out).toContain(
    `\nExecStart=${process.execPath} ${mainFile()} --quiet --config "${word}" run --pipeline primary\n`,
  );
  expect(out).toContain(`\nWorkingDirectory=${folder.replaceAll('%', '%%')}\n`);
});

test('a systemd unit has the name of a file, whatever a pipeline is called', async () => {
  const { out } = await printed('plain', 'systemd', 'every day/a@b');
  expect(out).toContain('\n# systemctl --user enable --now firn-every-day-a-b.timer\n');
  expect(out).toContain(' run --pipeline "every day/a@b"\n');
});
