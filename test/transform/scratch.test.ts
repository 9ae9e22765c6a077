import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildModels } from '../../src/transform/buildModels.ts';
import { readAudits } from '../../src/transform/readAudits.ts';
import { runAudits } from '../../src/transform/runAudits.ts';
import { modelsUnder } from './metricModels.ts';
import { drawnHistory } from './primaryOracle/drawnHistory.ts';
import { Expected } from './primaryOracle/expected.ts';
import { drawnReads } from './primaryOracle/reads.ts';
import { WarehouseReader } from './primaryOracle/warehouseReader.ts';
import { forgetBuild, temporaryWarehouse } from './warehouse.ts';
const src = readFileSync('test/transform/primaryOracle.test.ts', 'utf8');
const claims = [...src.matchAll(/'(assert_\w+)'/g)].map((m) => m[1]);
const held: any = Object.fromEntries([...src.matchAll(/'(mart\.\w+)': \(expected\) => expected\.(\w+)\(\)/g)].map((m) => [m[1], m[2]]));
test('x', async () => {
  const [from, n] = (process.env['SEEDS'] ?? '1,20').split(',').map(Number);
  const w = await temporaryWarehouse();
  const models = await modelsUnder([...Object.keys(held), 'staging.primary_change']);
  const audits = (await readAudits()).filter(({ name }) => claims.includes(name));
  const t = { draw: 0, read: 0, build: 0, hold: 0, audit: 0, builds: 0 };
  const kinds: Record<string, number> = {};
  const timed = async (k: string, f: any) => { const s = performance.now(); const r = await f(); (t as any)[k] += performance.now() - s; return r; };
  for (let seed = from!; seed < from! + n!; seed++) {
    const [history] = await timed('draw', () => fc.sample(drawnHistory, { numRuns: 1, seed }));
    const [reads] = fc.sample(drawnReads, { numRuns: 1, seed });
    const reader = new WarehouseReader(w.warehouse, history!);
    await reader.begin(); await forgetBuild(w.warehouse);
    let said = 0;
    try {
    for (const [i, one] of reads!.entries()) {
      await timed('read', () => reader.take(one));
      if (!one.build) continue;
      t.builds++;
      await timed('build', () => buildModels(w.warehouse, { models }));
      await timed('hold', async () => {
      const expected: any = new Expected(reader.read);
      for (const [name, f] of Object.entries(held) as any) {
        const rows = await w.warehouse.query<any>(`SELECT COLUMNS(*)::VARCHAR FROM ${name}`);
        const a = new Set(rows.map((r: any) => JSON.stringify(Object.entries(r).sort()))), want: any[] = expected[f]();
        const b = new Set(want.map((r: any) => JSON.stringify(Object.entries(r).sort())));
        const fa = [...a].filter((x) => !b.has(x)) as string[], fb = [...b].filter((x) => !a.has(x)) as string[];
        if (fa.length || fb.length || rows.length !== want.length) {
          const k = Object.fromEntries(JSON.parse(fa[0] ?? '[]')), e = Object.fromEntries(JSON.parse(fb[0] ?? '[]'));
          const diff = Object.keys({ ...k, ...e }).filter((c) => k[c] !== e[c]);
          const what = `${name}: ${fa.length && fb.length ? diff.join(',') : fa.length ? 'extra' : 'missing'}`;
          kinds[what] = (kinds[what] ?? 0) + 1;
          if (kinds[what]! <= 2 && said++ < 3) console.log(`seed ${seed} read ${i} ${what} rows ${rows.length}/${want.length}\n found ${JSON.stringify(k)}\n want ${JSON.stringify(e)}`);
        }
      }});
      await timed('audit', async () => {
      if (process.env.SHOW) console.log(i, await w.warehouse.query(`SELECT COLUMNS(*)::VARCHAR FROM (SELECT tx_id[:6] t, tx_type, block_height h, added_at, start_time, end_time, ended_height, state, rewarded FROM mart.fct_staking) ORDER BY h`), await w.warehouse.query(`SELECT height::VARCHAR h, supply::VARCHAR s, _load_id::VARCHAR FROM raw.node_platform_supply`), await w.warehouse.query(`SELECT COLUMNS(*)::VARCHAR FROM (SELECT height, block_type, block_time, decision FROM staging.primary_platform_block) ORDER BY height::INT`), await w.warehouse.query(`SELECT tx_id[:6] t, potential_reward::VARCHAR r FROM raw.node_platform_validators UNION SELECT tx_id[:6], potential_reward::VARCHAR FROM raw.node_platform_delegators`));
      for (const r of await runAudits(w.warehouse, { audits })) if (r.failedRows > 0 || r.problem) {
        const what = r.name; kinds[what] = (kinds[what] ?? 0) + 1;
        if (kinds[what]! <= 2) console.log(`seed ${seed} read ${i} ${r.name} ${r.problem ?? r.example}`);
      }});
    } } catch (e: any) { const what = `threw ${e.message.slice(0, 200)}`; kinds[what] = (kinds[what] ?? 0) + 1; if (kinds[what]! < 2) console.log('seed', seed, e.stack); }
  }
  console.log(kinds, t);
}, 590_000);
