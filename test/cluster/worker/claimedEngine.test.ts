import { expect, onTestFinished, test } from 'vitest';
import type { Engine } from '../../../src/cluster/contract.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { claimedEngine } from '../../../src/cluster/worker/claimedEngine.ts';
import { freshDatabase, restartServer } from '../postgres.ts';

test('no table is used before the lake is claimed, once, and once more when another server answers for the control database', async () => {
  const control = await openControl(await freshDatabase());
  onTestFinished(() => control.close());
  const ensured: string[] = [];
  let claims = 0;
  let refusal: Error | undefined;
  const claim = async () => {
    claims++;
    if (refusal) throw refusal;
  };
  const inner = { ensureTable: async ({ name }: { name: string }) => void ensured.push(name) } as unknown as Engine;
  const engine = claimedEngine(inner, control, claim);
  const ensure = (name: string) => engine.ensureTable({ name, columns: [] });

  refusal = new Error('the lake is newer');
  await expect(ensure('raw.a')).rejects.toThrow('the lake is newer');
  expect(ensured).toEqual([]);
  refusal = undefined;
  await Promise.all([ensure('raw.a'), ensure('raw.b')]);
  await engine.assertClaimed();
  expect([claims, ensured]).toEqual([2, ['raw.a', 'raw.b']]);

  await restartServer();
  refusal = new Error('the lake is newer');
  const again = () => ensure('raw.a').catch(({ message }: Error) => message);
  // The connection from before may have to break first.
  let said = await again();
  for (let tries = 0; tries < 5 && said !== 'the lake is newer'; tries++) said = await again();
  expect(said).toBe('the lake is newer');
  refusal = undefined;
  await ensure('raw.c');
  await ensure('raw.d');
  expect([claims, ensured]).toEqual([4, ['raw.a', 'raw.b', 'raw.c', 'raw.d']]);
});
