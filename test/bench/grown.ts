import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Devnet, startDevnet } from '../../devnet/src/index.ts';
import { catalogue } from '../../pipelines/index.ts';
import { demoConfig } from '../../src/cli/tasks/demoConfig.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { mainFile } from '../../src/load/packageFiles.ts';
import { openWarehouse } from '../../src/load/state/warehouse.ts';
import { loadDays } from './metricsYear.ts';

/** What a generated day of a chain adds to the raw tables. */
const rowsPerDay = 109_555;

/** Prints the CPU seconds of its process when it ends. */
const cpuAtEnd = `data:text/javascript,import{writeSync}from'node:fs';process.on('exit',()=>{const{user,system}=process.cpuUsage();writeSync(3,String((user+system)/1e6))})`;

/** How far the network is when the state meets it first, and then one sync after the other. */
const heads = ['70%', '80%', '90%', '100%'] as const;

/**
 * The cost of syncs that bring a tenth of the embedded network each, in CPU seconds of whole processes, on states that hold rows of another
 * chain already. By hand: `node dist/test/bench/grown.js 0 1e6 10e6 50e6`, after `npm run build`; 50 M rows take 4 GB in the temporary folder.
 */
async function benchGrown(
  print: (line: string) => void,
  stored: readonly number[] = [0, 1e6, 10e6, 50e6],
): Promise<void> {
  const costs: number[] = [];
  for (const rows of stored) {
    const [first = 0, ...news] = await onGrown(Math.round(rows / rowsPerDay));
    const cost = news.reduce((sum, seconds) => sum + seconds, 0);
    costs.push(cost);
    const each = news.map((seconds) => seconds.toFixed(2)).join(', ');
    print(`syncs on ${rows / 1e6} M rows: ${cost.toFixed(2)} s of CPU (${each}; the first ${first.toFixed(2)})`);
  }
  print(`most of least: ${(Math.max(...costs) / Math.min(...costs)).toFixed(2)} (at most 1.1)`);
}

async function onGrown(days: number): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-bench-grown-'));
  const devnet = await startDevnet({ head: heads[0] });
  try {
    const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue), memoryLimit: '2GB' });
    for (let day = 0; day < days; day += 30) await loadDays(warehouse, day, Math.min(30, days - day));
    warehouse.close();
    return await syncAll(folder, devnet);
  } finally {
    await devnet.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** CPU seconds of a sync at each head. */
async function syncAll(folder: string, devnet: Devnet): Promise<number[]> {
  const config = join(folder, 'firn.yaml');
  await writeFile(config, demoConfig(devnet));
  const took: number[] = [];
  for (const head of heads) {
    devnet.moveHead(head);
    const args = ['--import', cpuAtEnd, mainFile(), '--config', config, '--quiet', 'sync'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
    let seconds = '';
    child.stdio[3]?.on('data', (part: Buffer) => {
      seconds += part.toString();
    });
    await once(child, 'close');
    took.push(Number(seconds));
  }
  return took;
}

const [script, ...stored] = process.argv.slice(1);
if (script === fileURLToPath(import.meta.url))
  await benchGrown((line) => console.log(line), ...(stored.length > 0 ? [stored.map(Number)] : []));
