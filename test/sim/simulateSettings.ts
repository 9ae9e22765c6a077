import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { catalogue } from '../../pipelines/index.ts';
import { sourcesOf } from '../../src/run/openProject.ts';
import { compareWarehouses } from '../../src/run/evidence/compareWarehouses.ts';
import type { PartitionResult } from '../../src/run/read/syncStreams.ts';
import { syncStreams } from '../../src/run/read/syncStreams.ts';
import type { RunReport } from '../../src/run/records/runReport.ts';
import { type Settings, settingsSchema } from '../../src/run/settings.ts';
import { backfillPartition, canBackfill } from '../../src/run/upkeep/backfillPartition.ts';
import { Configurations, factsOf, type Streams } from './drawConfigurations.ts';
import { Faults } from './faults.ts';
import { LedgerServices } from './ledgerServices.ts';
import { Network } from './network.ts';
import type { Named } from './optionValues.ts';
import { createRandom } from './random.ts';
import { type Configured, settingsDifferences } from './settingsDifferences.ts';
import { SimClock } from './simClock.ts';
import { hourMs, SimulatedProcess } from './simulatedProcess.ts';
import { recordedNames } from './simulateLedger.ts';
import { inMemory, type Simulated, type SimulationOptions, wrongSeed } from './simulation.ts';

const configured = settingsSchema(sourcesOf(catalogue));
/** How often a run may be repeated until nothing is left: budgets of lookups end it early. */
const mostRuns = 400;

/**
 * Reads the recorded network, in which nothing goes wrong, by one configuration after the other while its history goes on. In the end the
 * warehouse must hold what one holds that had the last configuration from the start; what a note says that a backfill reads is read by that.
 *
 * @throws Error that says what differs
 */
export async function simulateSettings(options: SimulationOptions): Promise<Simulated> {
  const named = await recordedNames();
  return inMemory(async (folder) => {
    const random = createRandom(options.seed);
    const { ledger } = named;
    const clock = new SimClock(ledger.lastMoment);
    const faults = new Faults(random.fork());
    faults.areOn = false;
    const services = new LedgerServices(ledger, faults, random.fork(), clock);
    const network = new Network(services, faults, random.fork(), clock);
    const builds = random.chance(options.publishing ?? 0.02);
    const drawn = new Configurations(named, random, options.streams);
    const wrong = (what: string, cause?: unknown) => wrongSeed({ ...options, isSettings: true }, what, cause);
    let streams: Streams = {};
    const start = (name: string) => {
      const warehouse = join(folder, name);
      const { tell } = options;
      return new SimulatedProcess({
        ...{ folder: warehouse, clock, faults, random, network, catalogue, publishes: builds, tell, wrong },
        settings: () => settingsOf(warehouse, streams),
      });
    };
    let share = random.between(2, 50);
    const tested = start('tested');
    let last: RunReport;
    try {
      await tested.begin();
      for (let left = random.between(3, 6); left > 0; left--) {
        services.moveTo(share);
        clock.pass(random.between(1, 30) * hourMs);
        streams = drawn.next();
        options.tell?.(`${share} %: ${JSON.stringify(streams)}`);
        const report = await reported(tested, builds && random.chance(0.5) ? 'build' : 'sync', wrong);
        if (random.chance(0.3)) await readBelow(tested, report);
        if (left > 1 && random.chance(0.7)) share = Math.min(100, share + random.between(1, 1500) / 100);
      }
      await readBelow(tested, await readAll(tested, wrong));
      last = await readAll(tested, wrong);
      const news = last.partitions.find(({ rows }) => rows > 0);
      if (news) throw wrong(`nothing is new, and ${news.stream} (${news.partition}) brings ${news.rows} rows`);
      if (builds) await confirmBuild(tested, wrong);
    } finally {
      tested.end();
    }
    const fresh = start('fresh');
    try {
      await fresh.begin();
      const right = await readAll(fresh, wrong);
      const [now, then] = [outcomes(last.partitions), outcomes(right.partitions)];
      if (now !== then) throw wrong(`its partitions end otherwise than those of a fresh warehouse: ${now}\n${then}`);
      if (builds) await confirmBuild(fresh, wrong);
    } finally {
      fresh.end();
    }
    const stateOf = (name: string) => join(folder, name, '.state', 'firn.duckdb');
    const wanted = configuredStreams(streams, last.partitions, named);
    const { wrong: found, isSame } = await settingsDifferences(stateOf('tested'), stateOf('fresh'), wanted);
    if (found.length > 0) throw wrong(found.join('\n'));
    if (builds) {
      const others: string[] = [];
      if (isSame) others.push(...(await differences(join(folder, 'tested'), join(folder, 'fresh'), 'fresh')));
      await cp(join(folder, 'tested'), join(folder, 'rebuilt'), { recursive: true });
      const rebuilt = start('rebuilt');
      try {
        await rebuilt.run('rebuild');
      } finally {
        rebuilt.end();
      }
      others.push(...(await differences(join(folder, 'tested'), join(folder, 'rebuilt'), 'rebuilt')));
      if (others.length > 0) throw wrong(others.join('\n'));
    }
    const { runs, requests, published } = tested;
    return { hits: faults.hits, runs, requests, published };
  });
}

type Wrong = (what: string, cause?: unknown) => Error;

async function reported(process: SimulatedProcess, command: 'sync' | 'build', wrong: Wrong): Promise<RunReport> {
  const report = await process.run(command);
  if (!report) throw wrong('a run was refused');
  if (report.problems.length > 0) throw wrong(`a run ends with ${report.exitCode}: ${JSON.stringify(report.problems)}`);
  return report;
}

/** Reads until nothing is left. Gives the report of the run that found nothing. */
async function readAll(process: SimulatedProcess, wrong: Wrong): Promise<RunReport> {
  for (let left = mostRuns; left > 0; left--) {
    const report = await reported(process, 'sync', wrong);
    if (!report.partitions.some(({ rows, behind }) => rows > 0 || behind)) return report;
  }
  throw wrong('it never comes to an end');
}

/** Does what notes advise of what lies below. */
async function readBelow(process: SimulatedProcess, { partitions }: RunReport): Promise<void> {
  const advised = partitions.flatMap(({ notes = [] }) => notes.flatMap((note) => [...note.matchAll(/"firn backfill (\S+) --from (\S+)"/g)]));
  const asked = new Map(advised.map(([, id = '', from = '']) => [`${id} ${from}`, { id, from }]));
  for (const { id, from } of asked.values())
    await process.run('sync', {
      read: ({ planned, ...sync }) => {
        const chosen = planned.filter(({ stream }) => stream.id === id && canBackfill(stream));
        return syncStreams({ ...sync, planned: chosen, readStream: (stream, context) => backfillPartition(stream, context, { from }) });
      },
    });
}

/** Builds what is read; no audit that blocks finds anything. */
async function confirmBuild(process: SimulatedProcess, wrong: Wrong): Promise<void> {
  const report = await reported(process, 'build', wrong);
  const alarm = report.audits.find(({ failedRows }) => failedRows > 0);
  if (alarm) throw wrong(`${alarm.name} fails: ${alarm.example}`);
}

const outcomes = (partitions: readonly PartitionResult[]): string =>
  partitions
    .map(({ stream, partition, outcome, code = '' }) => `${stream} (${partition}) ${outcome} ${code}`)
    .sort()
    .join('\n');

async function differences(one: string, other: string, name: string): Promise<string[]> {
  const tables = await compareWarehouses(one, other);
  return tables
    .filter(({ table, onlyFirst, onlySecond }) => !table.startsWith('raw.') && onlyFirst + onlySecond > 0)
    .map(({ table, onlyFirst, onlySecond }) => `${table}: ${onlyFirst} rows too many, ${onlySecond} missing (${name})`);
}

function configuredStreams(streams: Streams, results: readonly PartitionResult[], named: Named): Configured[] {
  return Object.entries(streams).map(([id, given]) => {
    const stream = catalogue.find((one) => one.id === id);
    if (!stream) throw new Error(`no stream ${id}`);
    const partitions = results.filter((one) => one.stream === id).map(({ partition }) => partition);
    const [first] = stream.partitions(stream.parameters.parse(given) as never, factsOf(named));
    const takesPart = stream.way === 'range' && first !== undefined && (stream.takesPart?.(first as never) ?? false);
    return { stream, partitions, takesPart };
  });
}

function settingsOf(warehouse: string, streams: Streams): Settings {
  const sources = {
    node: { url: 'http://node.sim' },
    data: { url: 'http://data.sim', network: 'fuji' },
    metrics: { url: 'http://metrics.sim' },
  };
  return configured.parse({ warehouse, sources, pipelines: { main: { streams } } });
}
