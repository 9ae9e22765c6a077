import { BlockList, isIP } from 'node:net';
import { FirnError } from '../../core/firnError.ts';
import { bareHost } from './bareHost.ts';

/** A proxy between firn and a server. */
export interface Proxy {
  /** With user and password, where it wants them. */
  readonly url: URL;
  /** For messages: no secrets. */
  readonly name: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy by which the environment wants a URL asked, as curl and most programs take it: `HTTPS_PROXY` or `HTTP_PROXY` by the URL's scheme, else
 * `ALL_PROXY`, and in lower case. Undefined for this machine itself, and for what `NO_PROXY` names: hosts with all below them, addresses, networks
 * (10.0.0.0/8), each with a port if need be, or `*`.
 *
 * @throws FirnError `config` for a variable that is no URL of a proxy
 */
export function proxyOf({ protocol, hostname, port }: URL, env: Environment = process.env): Proxy | undefined {
  const host = undotted(bareHost(hostname));
  const found = [`${protocol.slice(0, -1)}_proxy`, 'all_proxy']
    .flatMap((name) => [name, name.toUpperCase()])
    .find((name) => env[name]);
  if (found === undefined || isLoopback(host)) return undefined;
  const excepted = (env['no_proxy'] || env['NO_PROXY'] || '').toLowerCase().split(/[\s,]+/);
  const isExcepted = excepted.some((entry) => covers(entry, host, port || (protocol === 'https:' ? '443' : '80')));
  return isExcepted ? undefined : proxyIn(found, env[found] ?? '');
}

/** The way to a URL, for the end of a sentence that names it: empty without a proxy. */
export function byProxy(url: URL): string {
  const proxy = proxyOf(url);
  return proxy ? ` (by the proxy ${proxy.name})` : '';
}

function proxyIn(variable: string, value: string): Proxy {
  const text = value.includes('://') ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url?.hostname || !/^https?:$/.test(url.protocol))
    throw new FirnError(
      'config',
      `The environment variable ${variable} names no HTTP proxy: write http://host:port or https://host:port, unset it, or name the hosts of the sources in NO_PROXY.`,
    );
  return { url, name: `${url.protocol}//${url.host}` };
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

const isLoopback = (host: string) => host === 'localhost' || host.endsWith('.localhost') || isIn(loopback, host);

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
const isIn = (list: BlockList, host: string) => isIP(host) > 0 && list.check(host, familyOf(host));

function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [, bracketed, bits = '', plain = entry, only] = /^(?:\[(.+)\](\/\d+)?|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
  const given = bracketed === undefined ? plain.replace(/^\*?\./, '') : `${bracketed}${bits}`;
  const name = asInUrl(given);
  if (name === '' || (only !== undefined && only !== port)) return false;
  return name === host || (isIP(host) === 0 ? host.endsWith(`.${name}`) : isInNetwork(given, host));
}

/** A host as URLs write it: `FD00:0::1` and `münchen.example` have one form. What is no host stays. */
function asInUrl(host: string): string {
  const url = `http://${isIP(host) === 6 ? `[${host}]` : host}`;
  return undotted(URL.canParse(url) ? bareHost(new URL(url).hostname) : host);
}

/** A name without the dot of the root, which may end it. */
const undotted = (name: string) => name.replace(/\.$/, '');

function isInNetwork(network: string, host: string): boolean {
  const [address = '', bits = ''] = network.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (!/^\d+$/.test(bits) || Number(bits) > most) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), familyOf(address));
  return isIn(list, host);
}
