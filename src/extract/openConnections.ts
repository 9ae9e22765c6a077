import { buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { createConnector, readingOn } from './connector.ts';
import { proxyOf } from './proxyOf.ts';

/**
 * Opens connections to an origin, by the proxy that the environment names for it: https through a tunnel, http as curl asks a proxy.
 *
 * @param connections at most; as many as there are requests by default
 * @param timeout of making one, in milliseconds
 * @throws FirnError `config` for a variable that names no proxy
 */
export function openConnections(
  origin: string,
  { connections, timeout }: { readonly connections?: number; readonly timeout: number },
): Dispatcher {
  const most = connections === undefined ? {} : { connections };
  const proxy = proxyOf(new URL(origin));
  if (!proxy) return new Pool(origin, { ...most, connect: createConnector({ timeout }) });
  const agent: ProxyAgent = new ProxyAgent({
    uri: proxy.url.href,
    proxyTunnel: false,
    proxyTls: { timeout },
    requestTls: { timeout },
    factory(to, { connect }: Pool.Options) {
      const connector = typeof connect === 'function' ? connect : buildConnector({ timeout });
      const pool = new Pool(to, { ...most, connect: readingOn(connector) });
      return pool.on('connect', (...made) => agent.emit('connect', ...made));
    },
  });
  const dispatch = agent.dispatch.bind(agent);
  agent.dispatch = (options, handler) => dispatch({ ...options, origin }, handler);
  return agent;
}
