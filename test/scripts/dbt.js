// Builds the dbt project for real: the commands of docs/dbt.md, in a fresh virtual environment, over a new warehouse of the demo.
// `npm run test:dbt` takes about three minutes and a package registry for Python.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoWarehouse, newFolder, root, run, shellLines, virtualEnvironment } from './freshPython.js';

const folder = newFolder('dbt');
const warehouse = demoWarehouse(folder);
const firn = `"${process.execPath}" "${join(root, 'dist', 'cli', 'main.js')}" --config "${join(warehouse, 'firn.yaml')}"`;
const env = virtualEnvironment(folder);
const script = shellLines('docs/dbt.md', '## Write and build it')
  .map((line) => line.replace(/^npx firn/, firn))
  .join(' && ');
run(script, [], { cwd: folder, env, shell: true });

const { results } = JSON.parse(readFileSync(join(folder, 'dbt', 'target', 'run_results.json'), 'utf8'));
const { exposures, sources } = JSON.parse(readFileSync(join(folder, 'dbt', 'target', 'manifest.json'), 'utf8'));
const audits = results.filter(({ unique_id }) => unique_id.startsWith('test.firn.assert_'));
const bad = results.filter(({ status }) => !['pass', 'success', 'no-op'].includes(status));
console.log(
  `${Object.keys(sources).length} sources, ${Object.keys(exposures).length} exposures, ${audits.length} tests from audits`,
);
for (const { unique_id, status, message } of bad) console.error(`${unique_id}: ${status} ${message ?? ''}`);
if (bad.length > 0 || audits.length < 30 || Object.keys(exposures).length < 10) process.exit(1);
