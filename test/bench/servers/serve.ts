import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CreateServer } from './server.ts';

/** Each is loaded only where it is served: the embedded network alone takes longer to load than everything else. */
const servers = {
  transactions: async () => (await import('./transactions.ts')).transactions,
  addressHistory: async () => (await import('./transactions.ts')).addressHistory,
  containers: async () => (await import('./containers.ts')).containers,
  decodedContainers: async () => (await import('./containers.ts')).decodedContainers,
  evmBlocks: async () => (await import('./evmBlocks.ts')).evmBlocks,
  tracedBlocks: async () => (await import('./evmBlocks.ts')).tracedBlocks,
} satisfies Record<string, () => Promise<CreateServer>>;

/** What there is to serve; `ledger` is the embedded network itself. */
export type Serving = keyof typeof servers | 'ledger';

/** What a server says of itself once it listens. */
export interface Served {
  readonly url: string;
  /** Rows that a warehouse holds once all of it was read, by raw table; the first is the one whose rows are counted. */
  readonly stored: Readonly<Record<string, number>>;
  /** `firn.yaml` in the warehouse folder. */
  readonly configuration: string;
  /** Paths of paged lists, for those that read them without firn. */
  readonly paths: readonly string[];
}

/** A message to the server is answered with the bytes that it has sent since the last one. */
export type ServerMessage = { readonly served: Served } | { readonly bytes: number };

// A process of its own: `node serve.js <what> <rows>`, with a channel to the process that started it, and ends with it.
const [what, rows] = process.argv.slice(2);
const say = (message: ServerMessage) => process.send?.(message);
process.once('disconnect', () => process.exit());
if (what === 'ledger') await serveLedger(Number(rows));
else await serve(await servers[what as keyof typeof servers](), Number(rows));

/**
 * The embedded network up to the moment when it has so many EVM blocks, with the chains that have begun by then and the configuration of `firn
 * demo`.
 */
async function serveLedger(blocks: number): Promise<void> {
  const { readLedger, startDevnet } = await import('../../../devnet/src/index.ts');
  const { demoConfig } = await import('../../../src/cli/tasks/demoConfig.ts');
  const whole = await readLedger();
  const momentsOf = (chains: typeof whole.l1s) =>
    chains.flatMap((chain) => chain.blocks.map(({ visibleAt }) => visibleAt));
  const moments = momentsOf([whole.c, ...whole.l1s]).sort((a, b) => a - b);
  const head = moments[Math.min(blocks, moments.length) - 1] ?? 0;
  const l1s = whole.l1s.filter((chain) => (chain.blocks[1]?.visibleAt ?? 0) <= head);
  const devnet = await startDevnet({ ledger: { ...whole, l1s }, head });
  process.on('message', () => say({ bytes: 0 }));
  const stored = { node_evm_blocks: momentsOf([whole.c, ...l1s]).filter((moment) => moment <= head).length };
  say({ served: { url: devnet.url, stored, configuration: demoConfig(devnet), paths: [] } });
}

async function serve(create: CreateServer, count: number): Promise<void> {
  const { stored, source, streams, paths = [], answer } = await create(count);
  let bytes = 0;
  const server = createServer(async (request, response) => {
    const said = answer(request.url ?? '/', await text(request));
    bytes += said.length;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': said.length }).end(said, 'latin1');
  });
  server.listen(0, '127.0.0.1', () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const configuration = JSON.stringify({
      warehouse: '.',
      sources: { [source]: { url } },
      pipelines: { bench: { streams } },
    });
    say({ served: { url, stored, configuration, paths } });
  });
  process.on('message', () => {
    say({ bytes });
    bytes = 0;
  });
}
