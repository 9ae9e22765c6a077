// Runs every notebook for real: the commands of docs/notebooks.md, in a fresh virtual environment, beside a new warehouse of the demo.
// `npm run test:notebooks` takes about five minutes and a package registry for Python.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoWarehouse, newFolder, root, run, shellLines, virtualEnvironment } from './freshPython.js';

const folder = newFolder('notebooks');
cpSync(join(root, 'sql', 'notebooks'), join(folder, 'node_modules', 'firn-etl', 'sql', 'notebooks'), {
  recursive: true,
});
demoWarehouse(folder);
const env = virtualEnvironment(folder);
const lines = [
  ...shellLines('docs/notebooks.md', '## Open one'),
  ...shellLines('docs/notebooks.md', '## Run them all'),
];
for (const line of lines.filter((line) => !line.startsWith('jupyter lab')))
  run(line, [], { cwd: folder, env, shell: true });

const names = readdirSync(join(root, 'sql', 'notebooks')).filter((name) => name.endsWith('.ipynb'));
const problems = names.flatMap((name) => {
  const { cells } = JSON.parse(readFileSync(join(folder, 'executed', name), 'utf8'));
  const outputs = cells.flatMap((cell) => cell.outputs ?? []);
  const tables = outputs.filter(({ data }) => data?.['text/html']);
  const images = outputs.filter(({ data }) => data?.['image/png']);
  console.log(
    `${name}: ${cells.filter((cell) => cell.cell_type === 'code').length} cells, ${tables.length} tables, ${images.length} images`,
  );
  return [
    ...(outputs.some(({ output_type }) => output_type === 'error') ? [`${name}: a cell failed`] : []),
    ...(images.length === 0 ? [`${name}: no chart`] : []),
    ...(tables.length === 0 ? [`${name}: no table`] : []),
  ];
});

// Where nothing was read yet there is nothing to show, and no cell fails.
const empty = join(folder, 'empty');
// A table of one's own may be published alone.
const refs = join(empty, 'warehouse', 'refs');
mkdirSync(refs, { recursive: true });
writeFileSync(join(refs, 'prices.csv'), 'day,usd\n2026-01-01,17.25\n');
writeFileSync(
  join(empty, 'firn.yaml'),
  'sources: { data: { url: "http://127.0.0.1:9" } }\npipelines: { main: { streams: { data/chains: {} } } }\n',
);
for (const phase of ['build', 'publish'])
  run(process.execPath, [join(root, 'dist', 'cli', 'main.js'), '--config', join(empty, 'firn.yaml'), phase]);
run(lines.at(-1), [], {
  cwd: folder,
  env: { ...env, FIRN_DATABASE: join(empty, 'warehouse', 'analytics.duckdb') },
  shell: true,
});
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
