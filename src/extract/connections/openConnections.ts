import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { basicAuthorization } from './basicAuthorization.ts';
import { createConnector, readingOn, within } from './connector.ts';
import { proxyOf } from './proxyOf.ts';

/**
 * Opens connections to an origin, by the proxy that the environment names for it: https through a tunnel, http as curl asks a proxy.
 *
 * @param connections at most; as many as there are requests by default
 * @param timeout of making one, in milliseconds; a proxy has twice as long to make a tunnel
 * @throws FirnError `config` for a variable that names no proxy
 */
export function openConnections(
  origin: string,
  { connections, timeout }: { readonly connections?: number; readonly timeout: number },
): Dispatcher {
  const most = connections === undefined ? {} : { connections };
  const proxy = proxyOf(new URL(origin));
  if (!proxy) return new Pool(origin, { ...most, connect: createConnector(timeout) });
  // Undici would send none without a password, and end with a URIError where a % stands for itself.
  const token = basicAuthorization(proxy.url);
  const agent: ProxyAgent = new ProxyAgent({
    uri: proxy.url.href,
    ...(token && { token }),
    proxyTunnel: false,
    // It makes a connection of its own before it answers.
    clientFactory: (to, options: Pool.Options) => new Pool(to, { ...options, headersTimeout: 2 * timeout }),
    proxyTls: within(timeout),
    requestTls: within(timeout),
    factory(to, { connect }: Pool.Options) {
      const connector = typeof connect === 'function' ? failing(connect) : buildConnector(within(timeout));
      const pool = new Pool(to, { ...most, connect: readingOn(connector) });
      return pool.on('connect', (...made) => agent.emit('connect', ...made));
    },
  });
  const dispatch = agent.dispatch.bind(agent);
  agent.dispatch = (options, handler) => dispatch({ ...options, origin }, handler);
  return agent;
}

/** Connections to any origin, opened in the same way. */
export const connectionsToAny = (timeout: number): Agent =>
  new Agent({ factory: (origin) => openConnections(String(origin), { timeout }) });

/**
 * A tunnel that is not made, by what it means. Where a proxy closes it, undici would ask for the next one at once, for as long as a request waits;
 * where one does not answer, there is no connection.
 */
const failing =
  (connect: buildConnector.connector): buildConnector.connector =>
  (target, connected) =>
    connect(target, (...[error, socket]) => {
      if (error === null) return connected(null, socket);
      const code = codes.get((error as NodeJS.ErrnoException).code);
      return connected(Object.assign(error, code && { code }), null);
    });

const codes: ReadonlyMap<string | undefined, string> = new Map([
  ['UND_ERR_SOCKET', 'ECONNRESET'],
  ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT'],
]);
