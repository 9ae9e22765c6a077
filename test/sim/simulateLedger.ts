import { join } from 'node:path';
import type { Ledger } from 'firn-devnet';
import { parse } from 'yaml';
import { withHelicon } from '../../devnet/src/helicon.ts';
import { readLedger } from '../../devnet/src/readLedger.ts';
import { withWideAmounts } from '../../devnet/src/wideAmounts.ts';
import { catalogue } from '../../pipelines/index.ts';
import { demoConfig } from '../../src/cli/tasks/demoConfig.ts';
import { sourcesOf } from '../../src/run/openProject.ts';
import { type Settings, settingsSchema } from '../../src/run/settings.ts';
import { readModels } from '../../src/transform/models/readModels.ts';
import { Faults } from './faults.ts';
import { LedgerServices } from './ledgerServices.ts';
import { Network } from './network.ts';
import { createRandom, type Random } from './random.ts';
import { SimClock } from './simClock.ts';
import { hourMs, SimulatedProcess } from './simulatedProcess.ts';
import { inMemory, type Simulated, type SimulationOptions, wrongSeed } from './simulation.ts';
import { stateDifferences } from './stateDifferences.ts';

type Streams = Readonly<Record<string, object>>;

const configured = settingsSchema(sourcesOf(catalogue));
/** What tells of the moments at which runs read, which no two of them share. */
const ofRuns = new Set(['mart.served_freshness', 'mart.reconciliation']);
const relationsOf = Object.fromEntries(
  catalogue.map(({ id, table, children }) => [
    id,
    [table.name, ...Object.values(children).map((child) => child.table.name)],
  ]),
);
/** Made once: reading a ledger takes a second, and so does making it another one. */
let read: Promise<Ledger> | undefined;
const made = new Map<string, Ledger>();

function madeOf(recorded: Ledger, isWide: boolean, isHelicon: boolean): Ledger {
  const name = `${isWide} ${isHelicon}`;
  const known = made.get(name);
  if (known) return known;
  const wide = isWide ? withWideAmounts(recorded) : recorded;
  const ledger = isHelicon ? withHelicon(wide, { from: 1, settleAfter: 3600 }) : wide;
  made.set(name, ledger);
  return ledger;
}

/** The recorded network, and the demo's streams of it. */
export async function recordedNames(): Promise<{ readonly ledger: Ledger; readonly streams: Streams }> {
  const streams = await ledgerStreams();
  return { streams, ledger: await (read as Promise<Ledger>) };
}

/** The streams that the recorded network has something for, with their parameters. */
export async function ledgerStreams(): Promise<Streams> {
  read ??= readLedger();
  const text = demoConfig({ url: 'http://ledger.sim', ledger: await read });
  return (parse(text) as { pipelines: { demo: { streams: Streams } } }).pipelines.demo.streams;
}

/**
 * Reads the recorded network in runs while its history goes on, with all that a seed lets go wrong, until nothing does any more: row by row
 * the state must then be one that was read at once, and so must what is built of it.
 *
 * @throws Error that says what differs
 */
export async function simulateLedger(options: SimulationOptions): Promise<Simulated> {
  const all = await ledgerStreams();
  const recorded = await (read as Promise<Ledger>);
  return inMemory(async (folder) => {
    const random = createRandom(options.seed);
    const ledger = madeOf(recorded, random.chance(0.3), options.isHelicon === true);
    const clock = new SimClock(ledger.lastMoment);
    const faults = new Faults(random.fork());
    const services = new LedgerServices(ledger, faults, random.fork(), clock);
    const network = new Network(services, faults, random.fork(), clock);
    const publishes = random.chance(options.publishing ?? 0.02);
    const ids = random.shuffle(Object.keys(all)).slice(0, publishes ? undefined : random.between(1, 4));
    let streams = withPages(all, new Set([...(options.streams ?? []), ...ids]), random);
    const wrong = (what: string, cause?: unknown) => wrongSeed({ ...options, isLedger: true }, what, cause);
    const start = (name: string) => {
      const warehouse = join(folder, name);
      const { tell } = options;
      return new SimulatedProcess({
        ...{ folder: warehouse, clock, faults, random, network, catalogue, publishes, tell, wrong },
        settings: () => settingsOf(warehouse, streams),
      });
    };
    options.tell?.(JSON.stringify(streams));
    const tested = start('tested');
    try {
      await tested.begin();
      network.onRequest = () => {
        if (faults.hit('growthWhileRead')) services.grow();
      };
      for (let hour = 0; hour < options.days * 24; hour += options.everyHours) {
        clock.pass(options.everyHours * hourMs);
        services.happen();
        if (faults.hit('changedConfiguration'))
          streams = withPages(all, new Set([...Object.keys(streams), random.pick(Object.keys(all))]), random);
        tested.suffer();
        const report = await tested.run(publishes && random.chance(0.3) ? 'run' : 'sync', tested.plan());
        const wiped = report?.partitions.find(({ code }) => code === 'source_shrank');
        if (wiped && !services.isBehind) throw wrong(`nothing was made anew: ${wiped.message}`);
      }
      services.end();
      await tested.settle();
      await tested.confirm();
    } finally {
      tested.end();
    }
    const quiet = start('quiet');
    try {
      await quiet.begin();
      await quiet.settle();
      if (publishes) await quiet.run('run');
    } finally {
      quiet.end();
    }
    const compared = Object.keys(streams).flatMap((id) => relationsOf[id] ?? []);
    const models = (await readModels()).filter(({ keptAs, name }) => keptAs.kind !== 'view' && !ofRuns.has(name));
    if (publishes) compared.push(...models.map(({ name }) => name));
    const stateOf = (name: string) => join(folder, name, '.state', 'firn.duckdb');
    const found = await stateDifferences(stateOf('tested'), stateOf('quiet'), compared);
    if (found.length > 0) throw wrong(found.join('\n'));
    const { runs, requests, published } = tested;
    return { hits: faults.hits, runs, requests, published };
  });
}

/** Some of the streams, in pages small enough to have several. */
function withPages(all: Streams, ids: ReadonlySet<string>, random: Random): Streams {
  const pageSize = random.between(5, 60);
  const hasPages = (id: string) =>
    catalogue.some((stream) => stream.id === id && Object.hasOwn(stream.parameters.shape, 'pageSize'));
  return Object.fromEntries(
    Object.entries(all)
      .filter(([id]) => ids.has(id))
      .map(([id, parameters]) => [id, { ...parameters, ...(hasPages(id) && { pageSize }) }]),
  );
}

function settingsOf(warehouse: string, streams: Streams): Settings {
  const sources = {
    node: { url: 'http://node.sim' },
    data: { url: 'http://data.sim', network: 'fuji' },
    metrics: { url: 'http://metrics.sim' },
  };
  return configured.parse({ warehouse, sources, pipelines: { main: { streams } } });
}
