import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { sources as declared } from '../pipelines/index.ts';
import { loadCommands } from '../src/cli/commands/index.ts';
import { type Stream, tablesOf } from '../src/core/stream/stream.ts';
import { syncStreams } from '../src/run/read/syncStreams.ts';
import { settingsSchema } from '../src/run/settings.ts';
import { openSources } from '../src/run/sources/openSources.ts';
import { listening } from './listening.ts';
import { temporaryWarehouse } from './load/temporaryWarehouse.ts';
import { some } from './some.ts';

const root = resolve(import.meta.dirname, '..');

test('the stream of the README runs as it stands', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const example = readme.split('## Your own streams')[1]?.match(/```ts\n([\s\S]*?)```/)?.[1] ?? '';
  // Beside this test and not in pipelines/, where other tests are listing files meanwhile.
  const file = join(root, 'test', 'readmeExample.generated.ts');
  onTestFinished(() => rm(file, { force: true }));
  await writeFile(file, example);
  const { bridgeMessages } = (await import('./readmeExample.generated.ts' as string)) as { bridgeMessages: Stream };

  const pages = [
    { messages: [message(1), message(2)], nextPageToken: 'second' },
    { messages: [{ ...message(3), relayer: 'new' }, { messageId: 'broken' }] },
  ];
  const server = createServer((request, response) => {
    const token = new URL(request.url ?? '/', 'http://localhost').searchParams.get('pageToken');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(pages[token ? 1 : 0]));
  });
  const { url, close } = await listening(server);
  onTestFinished(close);

  const warehouse = await temporaryWarehouse(tablesOf([bridgeMessages]));
  const settings = settingsSchema(declared).parse({ sources: { data: { url } }, pipelines: {} });
  const sources = await openSources({ settings, sources: declared });
  onTestFinished(() => sources.close());
  const [result] = await syncStreams({
    warehouse,
    planned: [{ pipeline: 'main', stream: bridgeMessages, parameters: { chainIds: ['43114'] } }],
    network: { networkId: 1, network: 'mainnet', hrp: 'avax', chains: [] },
    fetch: sources.fetch,
    runId: 'run',
    signal: new AbortController().signal,
  });
  expect(result).toMatchObject({ outcome: 'done', rows: 3, quarantined: 1, requests: 2 });
  expect(
    await warehouse.query('SELECT chain_id, message_id, block_number, _extra FROM raw.data_bridge_messages ORDER BY 2'),
  ).toEqual([
    { chain_id: '43114', message_id: 'm1', block_number: 1n, _extra: null },
    { chain_id: '43114', message_id: 'm2', block_number: 2n, _extra: null },
    { chain_id: '43114', message_id: 'm3', block_number: 3n, _extra: '{"relayer":"new"}' },
  ]);
});

const message = (n: number) => ({
  messageId: `m${n}`,
  txHash: `0x${String(n).padStart(64, '0')}`,
  blockNumber: String(n),
  blockTimestamp: 1_700_000_000 + n,
});

test('what the README names is there: files, commands', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const pages = [
    'README.md',
    ...(await readdir(join(root, 'docs'))).map((name) => `docs/${name}`),
    'examples/README.md',
  ];
  for (const page of some(pages.filter((name) => name.endsWith('.md')))) {
    const text = await readFile(join(root, page), 'utf8');
    for (const [, target = ''] of text.matchAll(/\]\(([^)#]+)\)/g))
      if (!target.includes('://'))
        expect(existsSync(join(root, dirname(page), target)), `${page}: ${target}`).toBe(true);
  }
  const program = new Command();
  for (const register of await loadCommands()) register(program, (action) => action as never);
  const known = program.commands.map((command) => command.name());
  const [, table = ''] = /\| command \| what it does \|([\s\S]*?)\n\n/.exec(readme) ?? [];
  const left = known.filter((name) => !new RegExp(`\\b${name}\\b`).test(table));
  expect(left).toEqual([]);
});

test('no line runs a package of the name firn, which is not this one', async () => {
  const shown = ['README.md', 'Dockerfile', 'docs', 'examples', 'src', 'sql', 'test/scripts'];
  const files = (
    await Promise.all(
      shown.map(async (name) =>
        name === 'README.md' || name === 'Dockerfile'
          ? [name]
          : (
              await readdir(join(root, name), { recursive: true, withFileTypes: true })
            )
              .filter((entry) => entry.isFile() && !entry.name.endsWith('.gz'))
              .map((entry) => join(entry.parentPath, entry.name)),
      ),
    )
  ).flat();
  const texts = await Promise.all(
    files.map(async (file) => [file, await readFile(resolve(root, file), 'utf8')] as const),
  );
  const runs = /\b(?:npx|npm exec|npm (?:i|install)(?: -\S+)*)(?: -\S+)* firn(?![-\w])|\benv firn\b|['"]firn\/\w/;
  expect(texts.filter(([, text]) => runs.test(text)).map(([file]) => file)).toEqual([]);
});
