import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { presetSources } from '../src/cli/presets.ts';
import { metricRank } from '../src/report/metricFacts.ts';
import { containersGive, dataServiceGives, type Given, isAllowed, metricNeeds } from '../src/run/probe/metricNeeds.ts';
import { readModels } from '../src/transform/readModels.ts';

const page = join(resolve(import.meta.dirname, '..', 'docs'), 'first-day.md');
const header =
  '| metric | needs | index C/block alone | RPC without traces | node with traces | data service |\n|---|---|---|---|---|---|\n';

const sources: readonly Given[] = [
  containersGive,
  { blocks: 'genesis', receipts: 'genesis', traces: 'none' },
  { blocks: 'genesis', receipts: 'genesis', traces: 'genesis' },
  dataServiceGives,
];

// `npx vitest run test/firstDay.test.ts -u` writes the table again.
test('the table of what each source allows is that of the models', async () => {
  const needs = metricNeeds(await readModels());
  needs.sort((a, b) => metricRank(a.metric) - metricRank(b.metric));
  const rows = needs.map((need) => {
    const what = `${need.input}${need.sinceGenesis ? ' since genesis' : ''}`;
    const marks = sources.map((given) => (isAllowed(need, given) ? 'yes' : '-'));
    return `| ${need.metric} | ${what} | ${marks.join(' | ')} |\n`;
  });
  const counts = sources.map((given) => needs.filter((need) => isAllowed(need, given)).length);
  const table = [...rows, `| all 17 | | ${counts.join(' | ')} |\n`].join('');
  const [before = '', after = ''] = (await readFile(page, 'utf8')).split(header);
  const rest = after.slice(after.indexOf('\n\n') === -1 ? 0 : Math.max(0, after.search(/^(?!\|)/m)));
  await expect(`${before}${header}${table}${rest}`).toMatchFileSnapshot(page);
});

test.each(['hosted', 'node', 'rpc'] as const)('the page names the addresses of the preset %s', async (preset) => {
  const text = await readFile(page, 'utf8');
  const { node, data, metrics } = presetSources({ preset }, undefined);
  const urls = [node?.url, ...Object.values(node?.rpc ?? {}), data?.url, metrics?.url].filter(
    (url) => url !== undefined,
  );
  expect(urls.length).toBeGreaterThan(1);
  for (const url of urls) expect(text).toContain(`\`${url}\``);
});
