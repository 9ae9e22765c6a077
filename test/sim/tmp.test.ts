import { test } from 'vitest';
import { simulate } from './simulate.ts';
const from = Number(process.env['FROM'] ?? 1), n = Number(process.env['N'] ?? 1);
import { appendFileSync } from 'node:fs';
if (process.env['TRACE']) (globalThis as any).__trace = (l: string) => appendFileSync(process.env['TRACE']!, `${l.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]*/g, 'uuid').replace(/firn-sim-\w+/g,'F')}\n`);
test('sim', async () => {
  for (let seed = from; seed < from + n; seed++) {
    const a = process.cpuUsage();
    try {
      const r = await simulate({ seed, days: Number(process.env['DAYS'] ?? 2), everyHours: Number(process.env['EVERY'] ?? 6), ...(process.env['TELL'] && { tell: (l) => console.log(l) }) });
      const u = process.cpuUsage(a);
      console.log(seed, 'ok', r.runs, 'runs', r.requests, 'requests', r.published, 'published', Math.round((u.user + u.system) / 1000), 'cpu ms', process.env['HITS'] ? [...r.hits] : '');
    } catch (e) { console.log(seed, 'FAILED', (e as Error).stack, (e as Error).cause ?? ''); }
  }
}, 3000000);
