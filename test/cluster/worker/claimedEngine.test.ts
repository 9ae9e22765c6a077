import { expect, onTestFinished, test } from 'vitest';
import type { Engine } from '../../../src/cluster/contract.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { claimedEngine } from '../../../src/cluster/worker/claimedEngine.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import { freshDatabase, restartServer } from '../postgres.ts';

/** Lets a copy of a database take its name. */
async function replaceByCopy(url: string): Promise<void> {
  const name = url.replace(/^.*\//, '');
  const admin = await openControl(url.replace(/\w+$/, 'postgres'), { connections: 1, migrates: false });
  for (const sql of [
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    `CREATE DATABASE ${name}_copy TEMPLATE ${name}`,
    `ALTER DATABASE ${name} RENAME TO ${name}_before`,
    `ALTER DATABASE ${name}_copy RENAME TO ${name}`,
  ])
    await admin.query(sql);
  await admin.close();
}

test('no table is used before the lake is claimed, once, and once more when another server answers for the control database', async () => {
  const url = await freshDatabase();
  const control = await openControl(url);
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

  for (const [i, takeOver] of [restartServer, () => replaceByCopy(url)].entries()) {
    await takeOver();
    refusal = new Error('the lake is newer');
    const again = () => ensure('raw.a').catch(({ message }: Error) => message);
    // The connection from before may have to break first.
    let said = await again();
    for (let tries = 0; tries < 5 && said !== 'the lake is newer'; tries++) said = await again();
    expect(said).toBe('the lake is newer');
    refusal = undefined;
    await ensure('raw.c');
    await ensure('raw.d');
    expect([claims, ensured.splice(2)]).toEqual([4 + 2 * i, ['raw.c', 'raw.d']]);
  }
});

test('once files could not be applied it is looked again before a table is made: somebody may have dropped it', async () => {
  const control = await openControl(await freshDatabase());
  onTestFinished(() => control.close());
  const said: string[] = [];
  const claim = async () => void said.push('claim');
  const apply = async (table: string) => {
    if (table === 'raw.gone') throw new FirnError('failed', 'There is no such table.');
    return { inserted: 1 };
  };
  const ensureTable = async ({ name }: { name: string }) => void said.push(name);
  const engine = claimedEngine({ ensureTable, apply } as unknown as Engine, control, claim);
  for (const name of ['raw.a', 'raw.gone', 'raw.b', 'raw.c']) {
    await engine.ensureTable({ name, columns: [] });
    await engine.apply(name, []).catch(({ message }: Error) => said.push(message));
  }
  expect(said).toEqual(['claim', 'raw.a', 'raw.gone', 'There is no such table.', 'claim', 'raw.b', 'raw.c']);
});
