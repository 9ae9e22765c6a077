import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { catalogue } from '../../pipelines/index.ts';
import { compareWarehouses } from '../../src/run/evidence/compareWarehouses.ts';
import { sourcesOf } from '../../src/run/openProject.ts';
import type { PartitionResult } from '../../src/run/read/syncOptions.ts';
import { syncStreams } from '../../src/run/read/syncStreams.ts';
import type { RunReport } from '../../src/run/records/runReport.ts';
import { type Settings, settingsSchema } from '../../src/run/settings.ts';
import { backfillPartition, canBackfill } from '../../src/run/upkeep/backfillPartition.ts';
import { type Configuration, Configurations, factsOf } from './drawConfigurations.ts';
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
    const drawn = new Configurations(named, random.fork(), options.streams);
    const wrong = (what: string, cause?: unknown) => wrongSeed({ ...options, isSettings: true }, what, cause);
    let current: Configuration = { pipelines: {}, sources: {} };
    const start = (name: string) => {
      const warehouse = join(folder, name);
      const { tell } = options;
      return new SimulatedProcess({
        ...{ folder: warehouse, clock, faults, random, network, catalogue, publishes: builds, tell, wrong },
        settings: (): Settings =>
          configured.parse({ warehouse, ...current, ...(name === 'fresh' && { keep: undefined }) }),
      });
    };
    let share = random.between(2, 50);
    if (random.chance(0.15)) services.skipIndex(share - 1, share);
    const growth = random.fork();
    const goOn = (most: number) => {
      share = Math.min(100, share + growth.between(1, most) / 100);
      services.moveTo(share);
    };
    const tested = start('tested');
    let last: RunReport;
    let isBelow = false;
    try {
      await tested.begin();
      services.moveTo(share);
      for (let left = random.between(3, 6); left > 0; left--) {
        clock.pass(random.between(1, 30) * hourMs);
        current = { ...drawn.next(), ...(builds && random.chance(0.5) && { keep: random.pick(['5d', '40d']) }) };
        options.tell?.(`${share} %: ${JSON.stringify(current)}`);
        network.onRequest = () => {
          if (growth.chance(0.02)) goOn(10);
        };
        const plan = random.chance(0.4)
          ? random.pick([{ stopAt: random.between(1, 12) }, { crashAt: random.between(1, 120) }])
          : {};
        const report = await tested.run(builds && random.chance(0.5) ? 'run' : 'sync', plan);
        const later = random.chance(0.3) ? { stopAt: random.between(1, 6) } : {};
        if (report && random.chance(0.3)) isBelow = (await readBelow(tested, report, later)) || isBelow;
        network.onRequest = () => {};
        if (left > 1 && growth.chance(0.7)) goOn(1500);
      }
      last = await readAll(tested, wrong);
      if (await readBelow(tested, last)) {
        isBelow = true;
        last = await readAll(tested, wrong);
      }
      const news = last.partitions.find(({ rows }) => rows > 0);
      if (news) throw wrong(`nothing is new, and ${news.stream} (${news.partition}) brings ${news.rows} rows`);
      if (builds) await confirmBuild(tested, wrong);
    } finally {
      tested.end();
    }
    const fresh = start('fresh');
    try {
      await fresh.begin();
      let right = await readAll(fresh, wrong, true);
      if (await readBelow(fresh, right)) right = await readAll(fresh, wrong);
      const then = outcomes(right.partitions);
      const worse = outcomes(last.partitions).filter((line) => !/ done $/.test(line) && !then.includes(line));
      if (worse.length > 0) throw wrong(`in a fresh warehouse it does not end so: ${worse.join('; ')}`);
      if (builds) await confirmBuild(fresh, wrong);
    } finally {
      fresh.end();
    }
    const stateOf = (name: string) => join(folder, name, '.state', 'firn.duckdb');
    const wanted = configuredStreams(current, last.partitions, named);
    const { wrong: found, rows, dropped } = await settingsDifferences(stateOf('tested'), stateOf('fresh'), wanted);
    options.tell?.(`compared: ${JSON.stringify(rows)}`);
    if (found.length > 0) throw wrong(found.join('\n'));
    if (builds) {
      const [one, rebuilt] = [join(folder, 'tested'), join(folder, 'rebuilt')];
      await cp(one, rebuilt, { recursive: true, verbatimSymlinks: true });
      const again = start('rebuilt');
      await again.run('rebuild').finally(() => again.end());
      const others = [
        ...(await modelDifferences(one, rebuilt)),
        // What is read later of a time that is settled is not built.
        ...(dropped.length > 0 && isBelow ? [] : await modelDifferences(one, join(folder, 'fresh'), dropped)),
      ];
      if (others.length > 0) throw wrong(others.join('\n'));
    }
    const { runs, requests, published } = tested;
    return { hits: faults.hits, runs, requests, published };
  });
}

type Wrong = (what: string, cause?: unknown) => Error;

async function reported(process: SimulatedProcess, command: 'sync' | 'run', wrong: Wrong): Promise<RunReport> {
  const report = await process.run(command);
  if (!report) throw wrong('a run was refused');
  const problem = report.problems.find(({ message }) => !message.startsWith('Nothing could be read'));
  if (problem) throw wrong(`a run ends with ${report.exitCode}: ${problem.message}`);
  return report;
}

/** Reads until nothing is left. Gives the report of the run that found nothing; of one that left nothing where it is the first. */
async function readAll(process: SimulatedProcess, wrong: Wrong, isFirst = false): Promise<RunReport> {
  for (let left = mostRuns; left > 0; left--) {
    const report = await reported(process, 'sync', wrong);
    if (!report.partitions.some(({ rows, behind }) => (rows > 0 && !isFirst) || behind)) return report;
  }
  throw wrong('it never comes to an end');
}

/** Does what notes advise of what lies below. Gives whether any did. */
async function readBelow(
  process: SimulatedProcess,
  { partitions }: RunReport,
  plan: { readonly stopAt?: number } = {},
): Promise<boolean> {
  const advised = partitions.flatMap(({ notes = [] }) =>
    notes.flatMap((note) => [...note.matchAll(/"firn backfill (\S+) --from (\S+)"/g)]),
  );
  const asked = new Map(advised.map(([, id = '', from = '']) => [`${id} ${from}`, { id, from }]));
  for (const { id, from } of asked.values())
    await process.run('sync', {
      ...plan,
      read: ({ planned, ...sync }) => {
        const chosen = planned.filter(({ stream }) => stream.id === id && canBackfill(stream));
        return syncStreams({
          ...sync,
          planned: chosen,
          readStream: (stream, context) => backfillPartition(stream, context, { from }),
        });
      },
    });
  return asked.size > 0;
}

/** Builds what is read; no audit that blocks finds anything. */
async function confirmBuild(process: SimulatedProcess, wrong: Wrong): Promise<void> {
  const report = await reported(process, 'run', wrong);
  const alarm = report.audits.find(({ failedRows }) => failedRows > 0);
  if (alarm) throw wrong(`${alarm.name} fails: ${alarm.example}`);
}

/** What a warehouse knows or took earlier may let it read what a fresh one may not. */
const outcomes = (partitions: readonly PartitionResult[]): string[] =>
  partitions.map(({ stream, partition, outcome, code = '' }) => `${stream} (${partition}) ${outcome} ${code}`);

/**
 * What models made otherwise of the same rows; nothing where the rows are not the same.
 *
 * @param dropped tables of which the first may have dropped rows after it built them; logs of a mart go with theirs
 */
async function modelDifferences(one: string, other: string, dropped: readonly string[] = []): Promise<string[]> {
  const differences = await compareWarehouses(one, other);
  const shrunk = new Set([...dropped, 'mart.fct_log'].map((name) => name.replace(/\.(.*)/, '."$1"')));
  const mayLack = (table: string) => dropped.length > 0 && shrunk.has(table);
  const found = differences.filter(
    ({ table, onlyFirst, onlySecond }) => onlyFirst > 0 || (onlySecond > 0 && !mayLack(table)),
  );
  if (found.some(({ table }) => table.startsWith('raw.'))) return [];
  return found.map(
    ({ table, onlyFirst, onlySecond }) => `${table}: ${onlyFirst} rows too many, ${onlySecond} missing (${other})`,
  );
}

function configuredStreams(
  { pipelines }: Configuration,
  results: readonly PartitionResult[],
  named: Named,
): Configured[] {
  const ids = new Set(Object.values(pipelines).flatMap(({ streams }) => Object.keys(streams)));
  return [...ids].map((id) => {
    const stream = catalogue.find((one) => one.id === id);
    if (!stream) throw new Error(`no stream ${id}`);
    const partitions = results.filter((one) => one.stream === id).map(({ partition }) => partition);
    const isPart = ({ streams: { [id]: given } }: Configuration['pipelines'][string]) => {
      if (given === undefined || stream.way !== 'range') return false;
      const [first] = stream.partitions(stream.parameters.parse(given) as never, factsOf(named));
      return first !== undefined && (stream.takesPart?.(first) ?? false);
    };
    return { stream, partitions, takesPart: Object.values(pipelines).some(isPart) };
  });
}
