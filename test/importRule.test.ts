import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { sources } from '../pipelines/index.ts';

const root = resolve(import.meta.dirname, '..');
/** The embedded network: it shares no code with those who read it, and only the command line starts it. */
const devnet = JSON.parse(readFileSync(join(root, 'devnet/package.json'), 'utf8')) as {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
};

/** What the files of a folder may import: other folders of src, and packages where the list is closed. */
const rules: Record<string, { folders: string[]; packages?: string[]; builtins?: boolean; devnet?: boolean }> = {
  'src/core': { folders: ['src/core'], packages: ['zod', 'apache-arrow'], builtins: false },
  'src/extract': { folders: ['src/extract', 'src/core'] },
  'src/decode': { folders: ['src/decode', 'src/core'] },
  'src/load': { folders: ['src/load', 'src/core'] },
  'src/transform': { folders: ['src/transform', 'src/core', 'src/load'] },
  'src/publish': { folders: ['src/publish', 'src/core', 'src/load'] },
  'src/references': { folders: ['src/references', 'src/core', 'src/load', 'src/publish'] },
  'src/retention': { folders: ['src/retention', 'src/core', 'src/load', 'src/publish'] },
  'src/dictionary': { folders: ['src/dictionary', 'src/core', 'src/load', 'src/publish'] },
  'src/run': {
    folders: ['core', 'extract', 'decode', 'load', 'transform', 'publish', 'references', 'retention', 'run'].map(
      (room) => `src/${room}`,
    ),
  },
  'src/cluster': {
    folders: ['core', 'extract', 'load', 'transform', 'publish', 'run', 'cluster'].map((room) => `src/${room}`),
  },
  'src/library': {
    folders: ['src/library', 'src/index.ts', 'src/cli', 'src/run', 'src/publish', 'src/extract', 'pipelines'],
  },
  'devnet/src': { folders: ['devnet/src'], packages: Object.keys(devnet.dependencies) },
  'src/report': {
    folders: ['report', 'core', 'load', 'transform', 'publish'].map((room) => `src/${room}`),
  },
  'src/cli': {
    folders: [
      'src/cli',
      'src/core',
      'src/extract',
      'src/load',
      'src/transform',
      'src/publish',
      'src/run',
      'src/report',
    ].concat(['src/references', 'src/retention', 'src/dictionary', 'src/cluster', 'pipelines']),
    devnet: true,
  },
  // Of models only what metrics there are: the service is asked for them by name.
  'src/index.ts': { folders: ['src/core', 'src/decode', 'src/transform'], packages: [] },
  pipelines: { folders: ['pipelines', 'src/index.ts'], packages: ['zod'], builtins: false },
};

/** What the rooms of a run may import of each other: whoever reads knows nothing of those who ask about what was read. */
const rooms: Record<string, string[]> = {
  sources: ['settings', 'plan', 'read'],
  plan: ['settings', 'sources', 'read'],
  read: ['sources', 'plan', 'upkeep'],
  upkeep: ['tablesOf', 'layoutsOf', 'plan', 'read'],
  records: ['read', 'phases'],
  phases: ['settings', 'openProject', 'tablesOf', 'layoutsOf', 'plan', 'read', 'records', 'upkeep'],
  probe: ['settings', 'sources', 'plan', 'read', 'records'],
  evidence: ['sources', 'read'],
  exports: ['sources'],
  extend: ['tablesOf', 'openProject'],
  dbt: [],
  lineage: ['settings', 'phases'],
};

/** The rooms that know of no API: what there is to know of one its source declares. */
const engine = ['core', 'extract', 'load']
  .map((room) => `src/${room}`)
  .concat(
    Object.keys(rooms)
      .filter((room) => room !== 'evidence')
      .map((room) => `src/run/${room}`),
  );

const filesOf = (folder: string): string[] =>
  folder.endsWith('.ts')
    ? [folder]
    : readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
        .map((entry) => relative(root, join(entry.parentPath, entry.name)));

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s+'([^']+)'|import\('([^']+)'\)/g)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
}

test.each(Object.entries(rules))('%s imports only what it may', (folder, rule) => {
  const files = filesOf(folder);
  expect(files.length).toBeGreaterThan(0);
  const broken = files.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => !isAllowed(file, specifier, rule))
      .map((specifier) => `${file} imports ${specifier}`),
  );
  expect(broken).toEqual([]);
});

function isAllowed(file: string, specifier: string, rule: (typeof rules)[string]): boolean {
  if (specifier.startsWith('.')) {
    const target = relative(root, resolve(root, dirname(file), specifier));
    return rule.folders.some((folder) => target === folder || target.startsWith(`${folder}/`));
  }
  if (specifier.startsWith('node:')) return rule.builtins ?? true;
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';
  return rule.packages?.includes(name) ?? (rule.devnet || name !== devnet.name);
}

test.each(Object.entries(rooms))('of a run the room %s imports the rooms it may', (room, others) => {
  const own = filesOf(`src/run/${room}`);
  expect(own.length).toBeGreaterThan(0);
  const broken = own.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => relative('src/run', relative(root, resolve(root, dirname(file), specifier))))
      .filter((target) => !target.startsWith('..') && ![room, ...others].includes(target.split(/[/.]/)[0] ?? ''))
      .map((target) => `${file} imports ${target}`),
  );
  expect(broken).toEqual([]);
});

test('every room of a run is named here', () => {
  const folders = readdirSync(join(root, 'src/run'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(rooms).sort());
});

test('the engine names neither a source nor a stream', () => {
  const names = sources.map(({ name }) => name).join('|');
  const named = new RegExp(`(['"\`])(?:${names})(?:/\\w+)?\\1|sources\\??\\.(?:${names})\\b|/ext/|/v[12]/`);
  const broken = engine.flatMap(filesOf).flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => named.test(line) && !/^\s*(?:\/\/|\/?\*)/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(broken).toEqual([]);
});

test('only the command line reads the environment or ends the process', () => {
  const files = ['src', 'pipelines'].flatMap(filesOf).filter((file) => !file.startsWith('src/cli/'));
  const broken = files.filter((file) => /process\.(env|exit\b|exitCode)/.test(readFileSync(join(root, file), 'utf8')));
  expect(broken).toEqual([]);
});
