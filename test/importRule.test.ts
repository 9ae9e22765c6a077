import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
/** The embedded network: it shares no code with those who read it, and only the command line starts it. */
const devnet = JSON.parse(readFileSync(join(root, 'devnet/package.json'), 'utf8')) as {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
};

/** What the files of a folder may import: other folders of src, and packages where the list is closed. */
const rules: Record<string, { folders: string[]; packages?: string[]; builtins?: boolean }> = {
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
  'devnet/src': { folders: ['devnet/src'], packages: Object.keys(devnet.dependencies) },
  pipelines: { folders: ['pipelines', 'src/index.ts'] },
};

const filesOf = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
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
  return rule.packages?.includes(name) ?? name !== devnet.name;
}

test('only the command line reads the environment or ends the process', () => {
  const files = ['src', 'pipelines'].flatMap(filesOf).filter((file) => !file.startsWith('src/cli/'));
  const broken = files.filter((file) => /process\.(env|exit\b|exitCode)/.test(readFileSync(join(root, file), 'utf8')));
  expect(broken).toEqual([]);
});
