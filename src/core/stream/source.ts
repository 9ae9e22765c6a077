import type { z } from 'zod';
import type { FirnError } from '../firnError.ts';
import type { Asking } from '../requests/page.ts';
import type { ChainFacts } from './network.ts';
import type { Hosted, SourceSettings } from './sourceSettings.ts';

/** A remote system that streams read from; the values for one installation come from `firn.yaml`. All that is known of its API is here. */
export interface Source<Given extends SourceSettings = SourceSettings> {
  /** Begins the ids of its streams and the names of their tables. */
  readonly name: string;
  readonly description: string;
  /** How numbers in answers are held: bigint above 2^53, or every literal as its text. */
  readonly numbers: 'lossless' | 'text';
  /** What `firn.yaml` may say of it under `sources`. Default: `keyedMembers`. */
  readonly settings?: z.ZodType<Given>;
  /** What `firn init` writes of it, by the name of a preset. @param network `mainnet` or `fuji` */
  presets?(network: string): Readonly<Record<string, Partial<Given>>>;
  /** Where `firn.yaml` need not say which header carries its key. */
  readonly hosted?: Hosted;
  /** Paths that other servers answer in its place. */
  elsewhere?(given: Given): readonly Elsewhere[];
  /** Whether several JSON-RPC calls to a path may go as one batch. Default: for every path. */
  takesBatches?(path: string): boolean;
  /** The part of the server that a path belongs to, which may fail while the others answer. Default: the path without ids. */
  partOf?(path: string): string;
  /**
   * What a failure really means where the server is not ready yet: thrown in its place, and not tried again. Questions about it are asked
   * once a run.
   *
   * @param url of the server, for messages
   */
  notReady?(path: string, error: FirnError, url: string): Asking<FirnError | undefined>;
  /** How it says to which network it belongs. */
  readonly identity?: Identity;
  readonly probe?: Probe;
}

/** A path that another server answers. */
export interface Elsewhere {
  readonly path: string;
  readonly url: string;
  /** Left out: the source's own, where the server is the same. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** How a source is asked to which network it belongs, and which chains it has. */
export interface Identity {
  /** Names of EVM chains that are looked for even if no stream reads them. */
  readonly chains: readonly string[];
  /** Network id, and the chains that need not be asked for themselves. Throws FirnError `not_offered` where it does not say. */
  network(): Asking<{ readonly networkId: number; readonly chains: readonly ChainFacts[] }>;
  /** One EVM chain. @param hasNetwork whether the source says of which network it is */
  chain(name: string, hasNetwork: boolean): Asking<ChainFacts>;
}

/** What `firn doctor` and `firn init` ask a source beside the first requests of its streams. */
export interface Probe {
  /** List of the chains that it serves, and the member of an item that is the chain id. */
  readonly chains?: { readonly path: string; readonly member: string };
  /** Id of its network. Not asked where the configuration names no URL of its own. */
  network?(): Asking<number>;
  /** Chains that may still be bootstrapping, whether one is done, and what to do until then. */
  readonly ready?: {
    readonly chains: readonly string[];
    ask(chain: string): Asking<boolean | undefined>;
    readonly wait: string;
  };
  /** Path of an EVM chain's JSON-RPC. */
  rpc?(chain: string): string;
}
