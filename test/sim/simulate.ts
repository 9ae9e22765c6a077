import { join } from 'node:path';
import { catalogue } from '../../pipelines/index.ts';
import { FirnError } from '../../src/core/firnError.ts';
import { openReader } from '../../src/publish/reader/openReader.ts';
import { readRelations } from '../../src/report/read/readRelations.ts';
import { sourcesOf } from '../../src/run/openProject.ts';
import { type Settings, settingsSchema } from '../../src/run/settings.ts';
import { checkpointOf, type Wanted } from './expected.ts';
import { Faults } from './faults.ts';
import { Network } from './network.ts';
import { judge } from './oracle.ts';
import { createRandom } from './random.ts';
import { Services } from './services.ts';
import { SimClock } from './simClock.ts';
import { hourMs, SimulatedProcess } from './simulatedProcess.ts';
import { inMemory, type Simulated, type SimulationOptions, wrongSeed } from './simulation.ts';
import { chainId, World } from './world.ts';

const start = Date.UTC(2026, 0, 20);
/** No block is older. */
const longAgo = Date.UTC(2026, 0, 1);
const configured = settingsSchema(sourcesOf(catalogue));
/** Streams that the simulated world has something for. */
export const streamIds = [
  'node/evm_blocks',
  'data/latest_transactions',
  'data/address_transactions',
  'data/address_internal_transactions',
  'data/address_erc721_transfers',
  'data/validators',
  'metrics/chain_metrics',
  'data/transaction_details',
  'node/containers',
  'data/primary_transactions',
  'data/utxos',
] as const;

/**
 * Lives through days of hourly runs of one service and one node, with all that a seed lets go wrong, and then through hours in which nothing
 * does.
 *
 * @throws Error that says what was not as it must be
 */
export const simulate = (options: SimulationOptions): Promise<Simulated> =>
  inMemory(async (folder) => {
    const simulation = new Simulation(options, join(folder, 'warehouse'));
    try {
      return await simulation.live();
    } finally {
      simulation.end();
    }
  });

class Simulation {
  readonly #options: SimulationOptions;
  readonly #folder: string;
  readonly #random;
  readonly #clock = new SimClock(start);
  readonly #faults: Faults;
  readonly #world: World;
  readonly #services: Services;
  readonly #network: Network;
  readonly #process: SimulatedProcess;
  /** The moment from which histories are wanted. */
  readonly #from: number;
  readonly #configured = { addresses: 1, hours: false, traces: false, pageSize: 5 };
  /** Whether the P-Chain is read as a list of the latest, and not by addresses. */
  readonly #ofAllOwners: boolean;
  /** A few: what a seed costs are statements. */
  readonly #streams: Set<string>;
  /** Whether runs build and publish now and then, for which all tables there are must be. */
  readonly #publishes: boolean;

  constructor(options: SimulationOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.#random = createRandom(options.seed);
    this.#faults = new Faults(this.#random.fork());
    this.#world = new World(this.#random.fork(), start);
    const { chance, shuffle, between } = this.#random;
    this.#publishes = chance(options.publishing ?? 0.02);
    this.#from = this.#publishes || chance(0.6) ? longAgo : start + between(0, 24 * 60) * 60_000;
    this.#ofAllOwners = chance(0.5);
    this.#configured.pageSize = between(2, 8);
    // Half of the faults are a node's.
    const drawn = shuffle([...streamIds, 'node/evm_blocks', 'node/containers']).slice(0, between(1, 3));
    this.#streams = new Set(this.#publishes ? streamIds : [...(options.streams ?? []), ...drawn]);
    this.#services = new Services(this.#world, this.#faults, this.#random.fork(), () => this.#clock.true);
    this.#services.listsLate = options.isLate ?? false;
    this.#network = new Network(this.#services, this.#faults, this.#random.fork(), this.#clock);
    this.#process = new SimulatedProcess({
      folder,
      clock: this.#clock,
      faults: this.#faults,
      random: this.#random,
      network: this.#network,
      catalogue: this.#publishes
        ? catalogue
        : catalogue.filter(({ id }) => (streamIds as readonly string[]).includes(id)),
      publishes: this.#publishes,
      settings: () => this.#settings,
      tell: options.tell,
      about: () => `, head ${this.#world.head}`,
      wrong: this.#wrong,
      beside: async (effect) => {
        // A reader between effects of a publish sees one version, whole.
        if (effect % 23 === 0) await this.#checkReader();
      },
    });
    this.#network.onRequest = () => {
      if (this.#faults.hit('growthWhileRead')) this.#grow(1);
    };
  }

  end(): void {
    this.#process.end();
  }

  async live(): Promise<Simulated> {
    const { days, everyHours } = this.#options;
    if (!this.#random.chance(0.05)) await this.#process.begin();
    for (let hour = 0; hour < days * 24; hour += everyHours) {
      this.#happen(everyHours);
      const whole = this.#publishes && this.#random.chance(0.3);
      await this.#run(whole ? 'run' : 'sync');
    }
    await this.#recover();
    const { runs, requests, published } = this.#process;
    return { hits: this.#faults.hits, runs, requests, published };
  }

  /** What happens between two runs. */
  #happen(hours: number): void {
    const [faults, random, clock, world] = [this.#faults, this.#random, this.#clock, this.#world];
    clock.pass(hours * hourMs);
    this.#grow(random.pick([0, 1, 2, 5]) + (random.chance(0.06) ? random.between(20, 80) : 0));
    if (random.chance(0.3)) world.changeValidators();
    if (faults.hit('serviceRestart')) this.#services.restart();
    this.#process.suffer();
    if (faults.hit('changedConfiguration')) this.#configure();
    this.#asItIs();
    const services = this.#services;
    services.mostRows = faults.hit('cappedPages') ? random.between(1, 4) : 100;
    services.tokensAreForOnce = faults.hit('tokensForOnce');
    const { head, containers } = world;
    const lag = () => {
      services.nodeChain = world.blocks.slice(0, random.between(1, head + 1));
      services.index.containers = containers.slice(0, random.between(0, containers.length));
    };
    // Nothing is settled twice: another node lacks the newest blocks that were read, or has others in their place.
    if (faults.hit('rolledBack')) lag();
    else if (this.#readTo > 0 && faults.hit('reorganised'))
      services.nodeChain = world.fork(random.between(1, this.#readTo), random.between(1, 40), clock.true);
    else if (this.#readIndexTo > 0 && faults.hit('reorganised'))
      services.index.containers = world.forkIndex(
        random.between(0, this.#readIndexTo - 1),
        random.between(1, 40),
        clock.true,
      );
    else if (faults.hit('bootstrapping')) {
      services.bootstrapping = { chain: random.pick(['P', 'C']), status: random.pick([404, 503, undefined]) };
      // What it answers already is what it has come to.
      lag();
    }
  }

  /** The node is bootstrapped, and has what is settled. */
  #asItIs(): void {
    this.#services.bootstrapping = undefined;
    this.#services.nodeChain = undefined;
    this.#services.index.containers = undefined;
  }

  /** A block of which the warehouse has the row, and of all below it. */
  #readTo = 0;
  /** As many containers are read. */
  #readIndexTo = 0;

  #grow(blocks: number): void {
    // The times of blocks never fall, which audits hold against what is built, and by which a date becomes a height.
    const isLate = !this.#publishes && this.#from === longAgo && this.#faults.hit('datedIntoPast');
    this.#world.grow(this.#clock.true, blocks, isLate);
  }

  #configure(): void {
    const { addresses } = this.#configured;
    const changes: (() => void)[] = [
      () => Object.assign(this.#configured, { addresses: Math.min(3, addresses + 1) }),
      () => Object.assign(this.#configured, { hours: true }),
      () => Object.assign(this.#configured, { traces: true }),
      () => this.#streams.add(this.#random.pick(streamIds)),
      () => Object.assign(this.#configured, { pageSize: this.#random.between(1, 20) }),
    ];
    this.#random.pick(changes)();
  }

  get #wanted(): Wanted {
    const { addresses, hours, traces } = this.#configured;
    return {
      streams: this.#streams,
      from: this.#from / 1000,
      addresses: this.#world.accounts.slice(0, addresses),
      owners: this.#world.owners.slice(0, addresses),
      ofAllOwners: this.#ofAllOwners,
      intervals: hours ? ['day', 'hour'] : ['day'],
      traces,
    };
  }

  get #settings(): Settings {
    const { addresses, owners, ofAllOwners, intervals, traces } = this.#wanted;
    const { pageSize } = this.#configured;
    const from = new Date(this.#from).toISOString();
    const late = this.#options.isLate && { lookback: '3d' };
    const lists = { chainIds: [chainId], addresses, pageSize, from, ...late };
    const parameters: Record<(typeof streamIds)[number], object> = {
      'node/evm_blocks': { blockchainIds: ['C'], traces },
      'node/containers': { indexes: ['P/block'], decode: false },
      'data/latest_transactions': { chainIds: [chainId], from, pageSize, ...late },
      'data/address_transactions': lists,
      'data/address_internal_transactions': lists,
      'data/address_erc721_transfers': lists,
      'data/primary_transactions': {
        blockchainIds: ['p-chain'],
        from,
        pageSize,
        ...(!ofAllOwners && { addresses: owners }),
        ...late,
      },
      'data/utxos': { blockchainIds: ['p-chain'], addresses: owners, pageSize },
      'data/validators': { pageSize: 3 },
      'metrics/chain_metrics': {
        chainIds: [chainId],
        metrics: ['txCount'],
        timeIntervals: intervals,
        from: '2026-01-01',
      },
      'data/transaction_details': {
        chainIds: [chainId],
        streams: streamIds.flatMap((id) => /^data\/(address.*)/.exec(id)?.[1] ?? []),
      },
    };
    const streams = Object.fromEntries(Object.entries(parameters).filter(([id]) => this.#streams.has(id)));
    return configured.parse({
      warehouse: this.#folder,
      sources: {
        node: { url: 'http://node.sim' },
        data: { url: 'http://data.sim', network: 'fuji' },
        metrics: { url: 'http://metrics.sim' },
      },
      pipelines: { main: { streams } },
    });
  }

  /** One run; what it has read for sure is noted. */
  async #run(command: 'run' | 'sync'): Promise<void> {
    const { nodeChain, index } = this.#services;
    const settled = nodeChain ? 0 : this.#world.head;
    const indexed = index.containers ? 0 : this.#world.containers.length;
    const report = await this.#process.run(command, this.#process.plan());
    if (report?.exitCode === 2) throw this.#wrong('a run finds the configuration wrong');
    const wiped = report?.partitions.find(({ code }) => code === 'source_shrank');
    if (wiped && !nodeChain && !index.containers) throw this.#wrong(`nothing was made anew: ${wiped.message}`);
    const isRead = (id: string) =>
      report?.partitions.some(({ stream, outcome }) => stream === id && outcome === 'done');
    // Of a block in quarantine nobody can tell whether another one in its place is the right one at last.
    if (report?.exitCode !== 0) return;
    // Of several nodes behind one address one that is behind may have told where the source ends.
    const next = async (id: string) => {
      if (!isRead(id)) return 0;
      const [row] = await this.#process.look((state) => state.query<{ line: string }>(checkpointOf(id)));
      return Number(row?.line ?? 0);
    };
    this.#readTo = Math.max(this.#readTo, Math.min(settled, (await next('node/evm_blocks')) - 1));
    this.#readIndexTo = Math.max(this.#readIndexTo, Math.min(indexed, await next('node/containers')));
  }

  #newest = { version: 0, blocks: 0 };

  async #checkReader(): Promise<void> {
    const reader = await openReader(this.#folder).catch((error: unknown) => {
      if (error instanceof FirnError && error.code === 'not_found') return undefined;
      throw error;
    });
    if (!reader) return;
    try {
      // Before the first block is read there is no table of blocks; containers and transactions tell of some until then.
      if (!(await readRelations(reader)).has('raw.node_evm_blocks')) return;
      const [row] = await reader.query<Record<string, bigint>>(
        `SELECT (SELECT max("version") FROM firn.published)::BIGINT AS "version", (SELECT count(*) FROM raw.node_evm_blocks) AS blocks,
           (SELECT coalesce(max(number) + 1 - min(number), 0) FROM raw.node_evm_blocks)::BIGINT AS span, (SELECT count(*) FROM mart.fct_block WHERE source = 'node') AS built,
           (SELECT count(*) FROM raw.node_evm_transactions) AS transactions, (SELECT count(*) FROM raw.node_evm_receipts) AS receipts`,
      );
      if (!row) throw this.#wrong('the reader database is empty');
      const { version, blocks, span, built, transactions, receipts } = row;
      // Where the first block is in quarantine the others have no gap.
      if (blocks !== span || built !== blocks || transactions !== receipts)
        throw this.#wrong(
          `version ${version} is not whole: ${blocks} blocks of ${span}, ${built} built, ${transactions} transactions, ${receipts} receipts`,
        );
      if (Number(version) < this.#newest.version || Number(blocks) < this.#newest.blocks)
        throw this.#wrong(`version ${version} goes back behind ${this.#newest.version}`);
      this.#newest = { version: Number(version), blocks: Number(blocks) };
    } finally {
      reader.close();
    }
  }

  /** Nothing goes wrong any more: all that there is must be there once. */
  async #recover(): Promise<void> {
    this.#asItIs();
    this.#services.listsLate = false;
    this.#services.mostRows = 100;
    this.#services.tokensAreForOnce = false;
    await this.#process.settle();
    const wrong = await this.#process.look((state) => judge((sql) => state.query(sql), this.#world, this.#wanted));
    if (wrong.length > 0) throw this.#wrong(wrong.join('\n'));
    if (this.#options.isBrief) return;
    await this.#process.confirm();
    if (!this.#publishes) return;
    await this.#checkReader();
    if (this.#newest.blocks !== this.#world.blocks.length) throw this.#wrong('readers do not see all blocks');
  }

  #wrong = (what: string, cause?: unknown): Error => wrongSeed(this.#options, what, cause);
}
