// Has the events of real runs read by OpenLineage's own Python client, whose classes are generated from the published schemas.
// `npm run test:lineage` takes half a minute and a package registry for Python.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, root, run, virtualEnvironment } from './freshPython.js';

const folder = newFolder('lineage');
const config = join(folder, 'firn.yaml');
const settings = {
  lineage: { file: 'events.jsonl' },
  sources: { node: { url: 'http://127.0.0.1:1' } },
  pipelines: { main: { streams: { 'node/evm_blocks': {} } } },
};
writeFileSync(config, JSON.stringify(settings));
// One run that fails, since nothing answers there, and one that does its work.
for (const [command, wanted] of [
  ['run', 75],
  ['build', 0],
]) {
  const { status, stderr } = spawnSync(process.execPath, [
    join(root, 'dist', 'cli', 'main.js'),
    '--config',
    config,
    command,
  ]);
  if (status === wanted) continue;
  console.error(`firn ${command} ended with ${status} in place of ${wanted}: ${stderr}`);
  process.exit(1);
}
const env = virtualEnvironment(folder);
run('pip', ['install', '--quiet', 'openlineage-python'], { env });
run('python', [join(root, 'test', 'scripts', 'lineage.py'), join(folder, 'events.jsonl')], { env });
