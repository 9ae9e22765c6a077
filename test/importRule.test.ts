import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
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
  'src/disk': { folders: ['src/disk'], packages: [] },
  'src/extract': { folders: ['src/extract', 'src/core', 'src/disk'] },
  'src/decode': { folders: ['src/decode', 'src/core'] },
  'src/load': { folders: ['src/load', 'src/core', 'src/disk'] },
  'src/transform': { folders: ['src/transform', 'src/core', 'src/load'] },
  'src/publish': { folders: ['src/publish', 'src/core', 'src/disk', 'src/load'] },
  'src/references': { folders: ['src/references', 'src/core', 'src/decode', 'src/disk', 'src/load', 'src/publish'] },
  'src/retention': { folders: ['src/retention', 'src/core', 'src/load', 'src/publish'] },
  'src/dictionary': { folders: ['src/dictionary', 'src/core', 'src/load', 'src/publish', 'src/transform'] },
  'src/run': {
    folders: [
      'core',
      'disk',
      'extract',
      'decode',
      'load',
      'transform',
      'publish',
      'references',
      'retention',
      'run',
    ].map((room) => `src/${room}`),
  },
  'src/cluster': {
    folders: ['core', 'disk', 'extract', 'load', 'transform', 'publish', 'run', 'cluster'].map((room) => `src/${room}`),
  },
  'src/library': {
    folders: ['src/library', 'src/index.ts', 'src/cli', 'src/run', 'src/publish', 'src/core', 'pipelines'],
  },
  'devnet/src': { folders: ['devnet/src'], packages: Object.keys(devnet.dependencies) },
  'src/report': {
    folders: ['report', 'core', 'disk', 'load', 'transform', 'publish'].map((room) => `src/${room}`),
  },
  'src/cli': {
    folders: ['cli', 'core', 'disk', 'decode', 'extract', 'load', 'transform', 'publish', 'run', 'report']
      .concat('references', 'retention', 'dictionary', 'cluster')
      .map((room) => `src/${room}`)
      .concat('pipelines'),
    devnet: true,
  },
  // From the models only the list of metrics: the service is asked for them by name.
  'src/index.ts': { folders: ['src/core', 'src/decode', 'src/transform'], packages: [] },
  pipelines: { folders: ['pipelines', 'src/index.ts'], packages: ['zod'], builtins: false },
};

/**
 * What the files and rooms of a run may import of each other: only what stands before them here, so that there is no circle. Code that reads
 * knows nothing of code that asks about what was read.
 */
const rooms: Record<string, string[]> = {
  settings: [],
  layoutsOf: [],
  sources: ['settings'],
  planStreams: ['settings', 'sources'],
  whenFree: [],
  openProject: ['settings', 'sources', 'planStreams', 'whenFree'],
  signMessage: ['sources', 'openProject'],
  read: ['sources', 'planStreams'],
  plan: ['settings', 'sources', 'planStreams', 'read'],
  upkeep: ['layoutsOf', 'sources', 'planStreams', 'read'],
  records: ['read'],
  phases: ['settings', 'layoutsOf', 'sources', 'planStreams', 'openProject', 'read', 'upkeep', 'records'],
  probe: ['settings', 'sources', 'planStreams', 'read', 'plan', 'records'],
  evidence: ['sources', 'read'],
  exports: ['sources'],
  extend: ['openProject'],
  dbt: [],
  lineage: ['settings', 'records', 'phases'],
};
const roomNames = Object.keys(rooms);

/** The rooms that know no API: a source declares all there is to know of its own. */
const engine = ['core', 'extract', 'load']
  .map((room) => `src/${room}`)
  .concat(roomNames.filter((room) => room !== 'evidence').map(placeOf));

/** Where a room of a run lies: a folder, or one file. */
function placeOf(room: string): string {
  const folder = `src/run/${room}`;
  return existsSync(join(root, folder)) ? folder : `${folder}.ts`;
}

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

test.each(Object.entries(rooms))('of a run %s imports what it may of the rooms before it', (room, others) => {
  expect(roomNames.slice(0, roomNames.indexOf(room))).toEqual(expect.arrayContaining(others));
  const own = filesOf(placeOf(room));
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

// A group is a folder, or a file beside the folders. What one needs of another never leads back to it.
test.each([
  'cli',
  'cluster',
  'core',
  'decode',
  'extract',
  'load',
  'publish',
  'report',
  'report/browser',
  'run',
  'transform',
])('the groups of src/%s import each other in no circle', (room) => {
  expect(inCircles(filesOf(`src/${room}`), (file) => relative(`src/${room}`, file).split('/')[0] ?? '')).toEqual([]);
});

// Not even a type: what two files need of each other has a third one.
test('no file leads back to itself', () => {
  expect(inCircles(['src', 'pipelines', 'devnet/src'].flatMap(filesOf), (file) => file)).toEqual([]);
});

/** Groups of files that import each other in a circle, or what is in one. */
function inCircles(files: readonly string[], groupOf: (file: string) => string): string[] {
  const left = new Map(files.map((file) => [groupOf(file), new Set<string>()]));
  for (const file of files)
    for (const specifier of importsOf(file).filter((one) => one.startsWith('.'))) {
      const other = groupOf(relative(root, resolve(root, dirname(file), specifier)));
      if (other !== groupOf(file)) left.get(groupOf(file))?.add(other);
    }
  expect(left.size).toBeGreaterThan(5);
  // Groups that import none of those that are left are in no circle.
  const free = () => [...left].filter(([, others]) => ![...others].some((other) => left.has(other)));
  for (let some = free(); some.length > 0; some = free()) for (const [group] of some) left.delete(group);
  return [...left.keys()];
}

test('every folder of src has a rule', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(Object.keys(rules)).toEqual(expect.arrayContaining(folders.map(({ name }) => `src/${name}`)));
});

test('every room of a run is named here', () => {
  expect(readdirSync(join(root, 'src/run')).sort()).toEqual(roomNames.map((room) => basename(placeOf(room))).sort());
});

test('the engine names neither a source nor a stream', () => {
  const names = sources.map(({ name }) => name).join('|');
  const named = new RegExp(`(['"\`])(?:${names})(?:/\\w+)?\\1|sources\\??\\.(?:${names})\\b|/ext/|(?<!/api)/v[12]/`);
  const broken = engine.flatMap(filesOf).flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => named.test(line) && !/^\s*(?:\/\/|\/?\*)/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(broken).toEqual([]);
});

/** Files of the product that say something. */
const sayers = (what: RegExp) =>
  ['src', 'pipelines'].flatMap(filesOf).filter((file) => what.test(readFileSync(join(root, file), 'utf8')));

test('only the command line reads the environment or ends the process', () => {
  const files = sayers(/process\.(env|exit\b|exitCode)/)
    // The way to a server is the environment's in any program, also in one that imports firn.
    .filter((file) => file !== 'src/extract/connections/proxyOf.ts');
  expect(files.filter((file) => !file.startsWith('src/cli/'))).toEqual([]);
});

test('no signal follows others by AbortSignal.any, of which Node keeps something for as long as they live', () => {
  expect(sayers(/AbortSignal\.any\(/)).toEqual([]);
});
