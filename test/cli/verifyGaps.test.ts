/** @module-tag long */
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { project, sourcesOf } from './cliHarness.ts';

test('of thousands of known gaps some are shown, with how many more there are', async () => {
  const net = await startDevnet({ head: '3%' });
  onTestFinished(() => net.close());
  const pipelines = { main: { streams: { 'data/chains': {} } } };
  const { firn, open } = await project({ sources: sourcesOf(net), pipelines }, { isBuilt: true });
  expect((await firn('sync')).code).toBe(0);
  const state = await open();
  await state.run(
    "INSERT INTO firn.gap SELECT 'node/containers', 'index_name=C/block', 2 * range, 2 * range, 1 FROM range(5000)",
  );
  state.close();
  expect((await firn('publish')).code).toBe(0);
  const { code, out } = await firn('verify');
  expect(code).toBe(0);
  expect(out).toMatch(/C\/block +38 to 38\nand 4,980 more gaps: "firn --json verify" lists them all\n$/);
  expect((await firn('--json', 'verify')).json.knownGaps).toHaveLength(5000);
});
