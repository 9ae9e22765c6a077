import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { presetSources } from '../src/cli/init/presets.ts';
import { type ChainInputs, inputsOfContainers, inputsOfDataService, isAllowed } from '../src/run/probe/chainInputs.ts';
import { metricsOf } from '../src/transform/models/metricsOf.ts';
import { readModels } from '../src/transform/models/readModels.ts';

const page = join(resolve(import.meta.dirname, '..', 'docs'), 'first-day.md');
const header =
  '| metric | needs | index C/block alone | RPC without traces | node with traces | data service |\n|---|---|---|---|---|---|\n';

const sources: readonly ChainInputs[] = [
  inputsOfContainers,
  { blocks: 'genesis', receipts: 'genesis', traces: 'none' },
  { blocks: 'genesis', receipts: 'genesis', traces: 'genesis' },
  inputsOfDataService,
];

// `npx vitest run test/firstDay.test.ts -u` writes the table again.
test('the table of what each source allows is that of the models', async () => {
  const metrics = metricsOf(await readModels());
  const rows = metrics.map((metric) => {
    const { input, sinceGenesis } = metric.needs;
    const what = `${input}${sinceGenesis ? ' since genesis' : ''}`;
    const marks = sources.map((given) => (isAllowed(metric, given) ? 'yes' : '-'));
    return `| ${metric.name} | ${what} | ${marks.join(' | ')} |\n`;
  });
  const counts = sources.map((given) => metrics.filter((metric) => isAllowed(metric, given)).length);
  const table = [...rows, `| all ${metrics.length} | | ${counts.join(' | ')} |\n`].join('');
  const [before = '', after = ''] = (await readFile(page, 'utf8')).split(header);
  const rest = after.slice(after.indexOf('\n\n') === -1 ? 0 : Math.max(0, after.search(/^(?!\|)/m)));
  await expect(`${before}${header}${table}${rest}`).toMatchFileSnapshot(page);
});

test.each(['hosted', 'node', 'rpc'] as const)('the page names the addresses of the preset %s', async (preset) => {
  const text = await readFile(page, 'utf8');
  const { node, data, metrics } = presetSources({ preset });
  const urls = [node?.url, ...Object.values(node?.rpc ?? {}), data?.url, metrics?.url].filter(
    (url) => url !== undefined,
  );
  expect(urls.length).toBeGreaterThan(1);
  for (const url of urls) expect(text).toContain(`\`${url}\``);
});
