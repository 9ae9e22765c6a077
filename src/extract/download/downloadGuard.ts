import { type LookupAllOptions, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent } from 'undici';
import { FirnError } from '../../core/firnError.ts';
import { bareHost } from '../connections/bareHost.ts';
import { createConnector } from '../connections/connector.ts';
import { connectionsToAny } from '../connections/openConnections.ts';
import { proxyOf } from '../connections/proxyOf.ts';
import { notPublic } from './notPublic.ts';

/** Where files may be fetched from besides public addresses: whoever answers in the service's place could name any address. */
export interface DownloadPlaces {
  /** Scheme, host and port of the service itself. */
  readonly origin: string;
  /** Hosts that the configuration trusts, at any port. */
  readonly hosts: readonly string[];
}

export interface DownloadGuard {
  /**
   * The connections by which a URL may be fetched. For a name they are made to the addresses that were checked: a name that means
   * another address a moment later (DNS rebinding) leads nowhere else. What a proxy would look up is fetched from trusted places only.
   *
   * @throws FirnError `refused`; for a name, the request fails with it
   */
  agentFor(target: URL): Agent;
  close(): Promise<void>;
}

/** As `dns.lookup` with `all`. */
export type Resolve = (
  host: string,
  options: LookupAllOptions,
  found: (error: Error | null, addresses: readonly { readonly address: string; readonly family: number }[]) => void,
) => void;

/** Lets downloads reach public addresses, the service's own origin and trusted hosts; by https unless the service is http. */
export function createDownloadGuard(
  places: DownloadPlaces,
  connectMs: number,
  resolve: Resolve = lookup,
): DownloadGuard {
  const hosts = new Set(places.hosts.map(hostOf));
  const agent = (lookup: LookupFunction) => new Agent({ connect: createConnector(connectMs, { lookup }) });
  const trusted = agent(lookupWith(resolve, () => {}));
  const proxied = connectionsToAny(connectMs);
  const checked = agent(publicLookup(resolve));
  return {
    agentFor(target) {
      if (target.protocol !== 'https:' && !places.origin.startsWith('http:'))
        throw new FirnError(
          'refused',
          `The service's download URL leads to ${target.origin}: what comes by http may be changed on its way, and the service itself is asked by https. Report it to the operator of the source.`,
        );
      const proxy = proxyOf(target);
      if (target.origin === places.origin || hosts.has(target.hostname)) return proxy ? proxied : trusted;
      if (proxy)
        throw refusal(target.hostname, `which the proxy ${proxy.name} looks up, so that nobody here knows its address`);
      // For a host that is an address nothing is looked up.
      const address = bareHost(target.hostname);
      if (isIP(address)) refuseUnlessPublic(target.hostname, address);
      return checked;
    },
    async close() {
      await Promise.all([trusted.destroy(), checked.destroy(), proxied.destroy()]);
    },
  };
}

/** As URLs write a host: `[FD00::1]` and `0x7f.1` have one form. */
const hostOf = (host: string) => new URL(`http://${host}`).hostname;

/** Looks up a name, whose addresses must all be public: the connection is made to one of these. */
export const publicLookup = (resolve: Resolve): LookupFunction => lookupWith(resolve, refuseUnlessPublic);

const lookupWith =
  (resolve: Resolve, check: (host: string, address: string) => void): LookupFunction =>
  (host, options, found) =>
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return found(error, []);
      try {
        for (const { address } of addresses) check(host, address);
      } catch (refused) {
        return found(refused as Error, []);
      }
      if (options.all) return found(null, [...addresses]);
      return found(null, addresses[0]?.address ?? '', addresses[0]?.family);
    });

function refuseUnlessPublic(host: string, address: string): void {
  const what = notPublic(address);
  if (what === undefined) return;
  const where = bareHost(host) === address ? what : `which is at ${address}, ${what}`;
  throw refusal(host, where);
}

const refusal = (host: string, where: string) =>
  new FirnError(
    'refused',
    `The service's download URL leads to ${host}, ${where}, and files are fetched from public addresses only. ` +
      `If you trust it, name it in firn.yaml, under this source: downloadHosts: ["${host}"]`,
    { context: { reason: 'not_public', acted: false } },
  );
