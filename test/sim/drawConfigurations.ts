import type { z } from 'zod';
import { catalogue } from '../../pipelines/index.ts';
import { FirnError } from '../../src/core/firnError.ts';
import type { NetworkFacts } from '../../src/core/stream/network.ts';
import type { Stream } from '../../src/core/stream/stream.ts';
import { sourcesOf } from '../../src/run/openProject.ts';
import { allPartitions, planStreams } from '../../src/run/planStreams.ts';
import { settingsSchema } from '../../src/run/settings.ts';
import { isRequired, type Named, optionValues } from './optionValues.ts';
import type { Random } from './random.ts';

type Parameters = Readonly<Record<string, unknown>>;
/** Streams of a pipeline with their parameters. */
type Streams = Readonly<Record<string, Parameters>>;

/** What is configured. */
export interface Configuration {
  readonly pipelines: Readonly<Record<string, { readonly streams: Streams }>>;
  readonly sources: Readonly<Record<string, object>>;
  /** How long raw rows stay; all do where it is left out. */
  readonly keep?: string;
}

/** Streams whose rows say what others look up. */
const providers: Readonly<Record<string, readonly string[]>> = {
  'node/platform_reward_utxos': ['node/containers', 'node/platform_blocks'],
  'node/avm_transactions': ['node/containers'],
  'data/transaction_details': ['data/address_transactions', 'data/token_transfers', 'data/latest_transactions'],
};

const configured = settingsSchema(sourcesOf(catalogue));
const simulated = {
  node: { url: 'http://node.sim' },
  data: { url: 'http://data.sim', network: 'fuji' },
  metrics: { url: 'http://metrics.sim' },
};
/** The same node by two URLs. */
const ownRpc = { ...simulated.node, rpc: { C: 'http://rpc.sim/ext/bc/C/rpc' } };
const known = new WeakMap<Named['ledger'], ReturnType<typeof optionValues>>();

/** Made once: it looks through all blocks. */
function valuesOf(named: Named): ReturnType<typeof optionValues> {
  const values = known.get(named.ledger) ?? optionValues(named);
  known.set(named.ledger, values);
  return values;
}

/** Draws configurations that follow each other. */
export class Configurations {
  readonly #facts: NetworkFacts;
  readonly #valuesOf: ReturnType<typeof optionValues>;
  readonly #random: Random;
  readonly #ids: readonly string[];
  readonly #before: Configuration[] = [];

  /** @param wanted ids of the streams that are read; drawn where it is left out */
  constructor(named: Named, random: Random, wanted?: readonly string[]) {
    this.#facts = factsOf(named);
    this.#valuesOf = valuesOf(named);
    this.#random = random;
    // Streams that have more options are drawn more often.
    const all = catalogue.flatMap(({ id, parameters }) => Object.keys(parameters.shape).map(() => id));
    const drawn = wanted ?? random.shuffle(all).slice(0, random.pick([1, 1, 2, 3]));
    const lookedUp = drawn.flatMap((id) => (providers[id] ? [random.pick(providers[id])] : []));
    this.#ids = [...new Set([...drawn, ...lookedUp])];
  }

  /** The next one: streams come, go, or are set otherwise, or an earlier configuration comes back. */
  next(): Configuration {
    const random = this.#random;
    const isBack = this.#before.length > 0 && random.chance(0.15);
    const next = isBack ? random.pick(this.#before) : this.#drawn(this.#before.at(-1)?.pipelines['main']?.streams);
    this.#before.push(next);
    return next;
  }

  #drawn(last: Streams | undefined): Configuration {
    const random = this.#random;
    const main = last ? this.#changed(last) : Object.fromEntries(this.#ids.map((id) => [id, this.#whole(id)]));
    const twice = random.pick(Object.entries(main));
    // Two lists at once are two partitions, whatever tells them apart.
    const isBeside = random.chance(0.1) && streamOf(twice[0]).way !== 'snapshot';
    const beside = isBeside ? Object.fromEntries([[twice[0], this.#other(...twice)]]) : undefined;
    const areAll = random.chance(0.8);
    const read = new Set(Object.keys(main).map((id) => id.split('/')[0]));
    const sources = Object.entries(random.chance(0.2) ? { ...simulated, node: ownRpc } : simulated);
    return {
      pipelines: { main: { streams: main }, ...(beside && { beside: { streams: beside } }) },
      sources: Object.fromEntries(sources.filter(([name]) => areAll || read.has(name))),
    };
  }

  #changed(last: Streams): Streams {
    const random = this.#random;
    const next: Record<string, Parameters> = {};
    for (const id of this.#ids) {
      const { [id]: before } = last;
      if (random.chance(before ? 0.1 : 0.4)) continue;
      next[id] = before ? (random.chance(0.8) ? this.#other(id, before) : before) : this.#whole(id);
    }
    return Object.keys(next).length > 0 ? next : last;
  }

  #whole(id: string): Parameters {
    return this.#fitting(id, () => {
      const names = Object.keys(streamOf(id).parameters.shape);
      return Object.fromEntries(names.flatMap((name) => this.#set(id, name)));
    });
  }

  /** With one or two options drawn anew. */
  #other(id: string, before: Parameters): Parameters {
    return this.#fitting(id, () => {
      const names = this.#random
        .shuffle(Object.keys(streamOf(id).parameters.shape))
        .slice(0, this.#random.between(1, 2));
      const kept = Object.entries(before).filter(([name]) => !names.includes(name));
      return Object.fromEntries([...kept, ...names.flatMap((name) => this.#set(id, name))]);
    });
  }

  /** An option with its value; nothing where it is left out. */
  #set(id: string, name: string): [string, unknown][] {
    const stream = streamOf(id);
    const draw = this.#valuesOf(stream, name);
    if (!draw) throw new Error(`${id} has an option ${name} for which test/sim/optionValues.ts has no values.`);
    const isOut = !isRequired(stream.parameters.shape[name] as z.ZodType) && this.#random.chance(0.55);
    return isOut ? [] : [[name, draw(this.#random)]];
  }

  /** The first that the stream takes, of many. */
  #fitting(id: string, draw: () => Parameters): Parameters {
    for (let tries = 0; tries < 200; tries++) {
      const drawn = draw();
      if (takes(streamOf(id), drawn, this.#facts)) return drawn;
    }
    throw new Error(`${id} takes nothing of what is drawn for it.`);
  }
}

const streamOf = (id: string): Stream => {
  const stream = catalogue.find((one) => one.id === id);
  if (!stream) throw new Error(`no stream ${id}`);
  return stream;
};

/** Whether a stream takes parameters: some need others. */
function takes(stream: Stream, given: Parameters, facts: NetworkFacts): boolean {
  try {
    const settings = configured.parse({ sources: simulated, pipelines: { main: { streams: { [stream.id]: given } } } });
    return planStreams(settings, [stream]).every((planned) => (allPartitions([planned], facts)?.length ?? 0) > 0);
  } catch (error) {
    if (error instanceof FirnError && error.code === 'config') return false;
    throw error;
  }
}

/** The recorded network as a configuration knows it. */
export function factsOf({ ledger }: Named): NetworkFacts {
  const { c, p, x, l1s } = ledger;
  const evm = [c, ...l1s].map(({ name, blockchainId, evmChainId }) => ({
    chainId: String(evmChainId),
    name,
    blockchainId,
    alias: name === 'C' ? name : blockchainId,
    vm: 'evm' as const,
    genesisHash: null,
  }));
  const linear = [p, x].map(({ name, blockchainId }) => ({
    chainId: blockchainId,
    name,
    blockchainId,
    alias: name,
    vm: name === 'P' ? ('platform' as const) : ('avm' as const),
    genesisHash: null,
  }));
  return { networkId: ledger.networkId, network: 'fuji', hrp: 'local', chains: [...evm, ...linear] };
}
