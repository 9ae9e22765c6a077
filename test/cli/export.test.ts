import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Devnet, type DevnetOptions, type Ledger, readLedger, startDevnet } from 'firn-devnet';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporary } from '../temporaryFolders.ts';
import { project } from './cliHarness.ts';
import { watchServer } from './watchServer.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

const exported = '/v1/operations/transactions:export';
const year = ['--first-date', '2026-01-01', '--last-date', '2026-12-31'];
let ledger: Ledger;
let evm: string[];
let owner: string;

beforeAll(async () => {
  ledger = await readLedger();
  const chains = [ledger.c, ...ledger.l1s].map(({ evmChainId }) => String(evmChainId));
  const sender = await somebody(`/v1/chains/${chains[0]}/transactions?pageSize=100`, ({ from }) => [from.address]);
  owner = await somebody('/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=100', ({ emittedUtxos }) =>
    emittedUtxos.flatMap(({ addresses }: Json) => addresses),
  );
  evm = ['--type', 'evm', '--address', sender, '--chain', ...chains];
});

/** An address that the recording knows, found by asking the network itself. */
async function somebody(path: string, names: (row: Json) => string[]): Promise<string> {
  const devnet = await startDevnet({ ledger });
  try {
    const { transactions } = (await (await fetch(devnet.url + path)).json()) as Json;
    const counts = new Map<string, number>();
    for (const name of transactions.flatMap(names)) counts.set(name, (counts.get(name) ?? 0) + 1);
    return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? '';
  } finally {
    await devnet.close();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the network, into which the tests look freely.
type Json = any;

/** A network whose data service is asked for exports through one server, and whose files lie on another. */
async function network(services: DevnetOptions['services'] = {}, key?: string) {
  let devnet: Devnet;
  const api = await watchServer(() => devnet.url);
  const files = await watchServer(() => devnet.url);
  devnet = await startDevnet({ ledger, services: { exportOrigin: files.url, ...services }, ...(key && { key }) });
  onTestFinished(() => devnet.close());
  const home = await project({
    sources: {
      data: {
        url: api.url,
        network: 'fuji',
        headers: { 'x-extra': 'also-secret' },
        downloadHosts: ['127.0.0.1'],
        ...(key && { key }),
      },
    },
  });
  return { devnet, api, files, home };
}

const rowsOf = (home: { query(sql: string): Promise<Record<string, unknown>[]> }) =>
  home.query('SELECT cells, occurrence FROM raw.data_export_rows ORDER BY ALL');

describe('firn export', () => {
  test('asks once, waits, downloads without the key, and loads every row of the file', { tags: 'long' }, async () => {
    const { api, files, home } = await network({}, 'very-secret-key');
    const started = await home.firn('--json', 'export', 'start', ...evm, ...year);
    expect(started.code).toBe(0);
    expect(started.json.exports[0].parts).toMatchObject([{ outcome: 'running', status: 'RUNNING' }]);
    const done = await home.firn('--json', 'export', 'download');
    expect(done.code).toBe(0);
    const [part] = done.json.exports[0].parts;
    const content = await readFile(part.file.path);
    expect(part).toMatchObject({ outcome: 'done', file: { bytes: content.length } });
    expect(part.file.sha256).toBe(createHash('sha256').update(content).digest('hex'));

    expect(api.count('POST', exported)).toBe(1);
    expect(api.seen.every(({ headers }) => headers['x-service-api-key'] === 'very-secret-key')).toBe(true);
    expect(files.seen).toHaveLength(1);
    expect(JSON.stringify(files.seen)).not.toMatch(/very-secret|also-secret/);

    // Names of tokens hold line ends, and only rows begin with a time: a count independent of the reader.
    const lines = content.toString('utf8').match(/^\d{4}-\d\d-\d\dT.*$/gm) ?? [];
    const rows = await home.query<{ tx_hash: string; row_time: string; chain_id: string }>(
      'SELECT tx_hash, row_time, chain_id FROM raw.data_export_rows ORDER BY row_number',
    );
    expect(rows).toHaveLength(lines.length);
    expect(part.rows).toBe(rows.length);
    expect(lines.every((line, i) => line.includes(rows[i]?.tx_hash ?? '?'))).toBe(true);
    const [operation] = await home.query<Record<string, string>>(
      'SELECT operation_status, operation_type, part, request, metadata_download_url AS url FROM raw.data_operations',
    );
    expect(operation).toMatchObject({
      operation_status: 'COMPLETED',
      operation_type: 'TRANSACTION_EXPORT_EVM',
      part: 1,
    });
    const state = await home.query<{ all: string }>('SELECT string_agg(position_to) AS "all" FROM firn.load');
    expect(`${operation?.['url']}${state[0]?.all}`).not.toContain('signature=');
    expect(done.out + done.err + started.out + started.err).not.toMatch(/very-secret|signature=/);

    const again = await home.firn('export', 'download');
    expect(again.code).toBe(0);
    expect(again.err).toContain('Readers see the rows with the next version: "firn run"');
    expect(files.seen).toHaveLength(1);
    // A file that is wanted in another folder, or was removed, is fetched; one that is there is not.
    const into = join(await temporary(), 'files');
    const elsewhere = async (...more: string[]) => {
      const said = await home.firn('--json', 'export', 'download', '--no-load', ...more);
      return said.json.exports[0].parts[0].file.path as string;
    };
    expect(dirname(await elsewhere('--output', into))).toBe(into);
    const path = await elsewhere();
    expect([dirname(path), files.seen.length]).toEqual([into, 2]);
    await rm(path);
    expect(await readFile(await elsewhere())).toEqual(content);
    expect(files.seen).toHaveLength(3);
    const same = await home.firn('export', 'start', ...evm, ...year);
    expect(same.err).toContain('The same export was asked for before');
    expect(api.count('POST', exported)).toBe(1);
    const more = await home.firn('--json', 'export', 'start', ...evm, ...year, '--again');
    expect(more.json.exports[0].id).not.toBe(started.json.exports[0].id);
    expect(api.count('POST', exported)).toBe(2);
    const listed = await home.firn('--json', 'export', 'status');
    expect(listed.json.exports).toHaveLength(2);
  });

  test('goes on where the service truncates, and has what an export in one piece has', { tags: 'long' }, async () => {
    const whole = await network();
    await whole.home.firn('export', 'start', ...evm, ...year);
    expect((await whole.home.firn('export', 'download')).code).toBe(0);
    const parts = await network({ exportRows: 400, exportFormat: 'gzip', exportPolls: 0 });
    await parts.home.firn('export', 'start', ...evm, ...year);
    const waited = await parts.home.firn('--json', 'export', 'wait');
    expect(waited.code).toBe(0);
    const [{ parts: all }] = waited.json.exports;
    expect(all.length).toBeGreaterThan(1);
    expect(all.slice(1).map(({ firstDate }: { firstDate: string }) => firstDate)).toEqual(
      all.slice(0, -1).map(({ nextDate }: { nextDate: string }) => nextDate),
    );
    expect(all.at(-1).nextDate).toBeNull();
    expect(parts.api.count('POST', exported)).toBe(all.length);
    expect((await parts.home.firn('export', 'download')).code).toBe(0);
    expect(await rowsOf(parts.home)).toEqual(await rowsOf(whole.home));
    expect(await parts.home.query('SELECT count(*) AS n FROM raw.data_operations')).toEqual([
      { n: BigInt(all.length) },
    ]);
  });

  test('takes what there is of an export that was cut off and does not say where, and does not call it complete', {
    tags: 'long',
  }, async () => {
    const { home, api } = await network({ exportRows: 200, exportPolls: 0 });
    api.meddle = async ({ path }, response, pass) => {
      if (!path.startsWith('/v1/operations/') || path === exported) return false;
      const operation = JSON.parse((await pass()).body.toString());
      delete operation.metadata.nextDate;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(operation));
      return true;
    };
    await home.firn('export', 'start', ...evm, ...year);
    const { code, err } = await home.firn('export', 'download');
    expect([code, err]).toEqual([4, expect.stringContaining('does not say from which date on')]);
    expect((await rowsOf(home)).length).toBeGreaterThan(0);
    expect((await home.firn('export', 'wait')).code).toBe(4);
  });

  test('loads a zip archive, and the types of the Primary Network', { tags: 'long' }, async () => {
    const { home, api } = await network({ exportFormat: 'zip', exportPolls: 0 });
    const flags = ['--type', 'primary-network', '--address', `P-${owner}`, '--chain', 'p-chain', 'X'];
    const dates = ['--start-date', '2026-01-01', '--end-date', '2026-12-31'];
    const started = await home.firn('export', 'start', ...flags, ...dates);
    expect(started.err).toContain('startDate is a deprecated name');
    const body = JSON.parse(api.seen.find(({ path }) => path === exported)?.body ?? '{}');
    expect(body).toEqual({
      type: 'TRANSACTION_EXPORT_PRIMARY_NETWORK',
      firstDate: '2026-01-01',
      lastDate: '2026-12-31',
      options: { addresses: [owner], includeChains: ['p-chain', 'x-chain'] },
    });
    const done = await home.firn('--json', 'export', 'download');
    expect(done.json.exports[0].parts[0].file.path).toMatch(/\.zip$/);
    expect((await rowsOf(home)).length).toBe(done.json.exports[0].parts[0].rows);
    expect(done.json.exports[0].parts[0].rows).toBeGreaterThan(0);
  });

  test('a request whose answer got lost is never sent again by itself; its operation can be taken on', {
    tags: 'long',
  }, async () => {
    const { api, home } = await network();
    let operationId = '';
    api.meddle = async ({ path }, response, pass) => {
      if (path !== exported) return false;
      operationId = JSON.parse((await pass()).body.toString()).operationId;
      response.destroy();
      return true;
    };
    const lost = await home.firn('export', 'start', ...evm, ...year);
    expect(lost.code).toBe(75);
    expect(lost.err).toContain('--operation <id>');
    api.meddle = undefined;
    for (const command of [['start', ...evm, ...year], ['wait'], ['download']]) {
      const refused = await home.firn('export', ...command);
      expect([refused.code, refused.err]).toEqual([
        1,
        expect.stringContaining('so firn does not ask for it again by itself'),
      ]);
    }
    expect(api.count('POST', exported)).toBe(1);
    const taken = await home.firn('--json', 'export', 'start', ...evm, ...year, '--operation', operationId);
    expect(taken.json.exports[0].parts).toMatchObject([{ operationId, outcome: 'running' }]);
    expect((await home.firn('export', 'download')).code).toBe(0);
    expect(api.count('POST', exported)).toBe(1);
    expect((await rowsOf(home)).length).toBeGreaterThan(0);
  });

  test('a refused request may be sent again; a failed export is asked for again', { tags: 'long' }, async () => {
    const { api, home } = await network({ exportFails: true, exportPolls: 0 });
    api.meddle = ({ path }, response) => {
      if (path !== exported) return false;
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message: ['lastDate is too late'], statusCode: 400, error: 'Bad Request' }));
      return true;
    };
    const refused = await home.firn('export', 'start', ...evm, ...year);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('lastDate is too late')]);
    api.meddle = undefined;
    expect((await home.firn('export', 'start', ...evm, ...year)).code).toBe(0);
    const failed = await home.firn('export', 'wait');
    expect(failed.code).toBe(1);
    expect(failed.err).toMatch(/ended as FAILED: ErrInternal/);
    expect((await home.firn('export', 'start', ...evm, ...year)).code).toBe(0);
    expect(api.count('POST', exported)).toBe(3);
  });

  test('a download that breaks off goes on in the next call; an expired URL is asked for again; too large a file is refused', {
    tags: 'long',
  }, async () => {
    const { api, files, home } = await network({ exportPolls: 0 });
    await home.firn('export', 'start', ...evm, ...year);
    const small = await home.firn('export', 'download', '--max-bytes', '1kB');
    expect([small.code, small.err]).toEqual([4, expect.stringContaining('at most 1000 are taken')]);
    files.meddle = async ({ headers }, response, pass) => {
      if (headers.range) return false;
      const { status, headers: given, body } = await pass();
      response.writeHead(status, { ...given, 'content-length': body.length });
      response.write(body.subarray(0, 5000), () => setTimeout(() => response.destroy(), 100));
      return true;
    };
    let refused = 0;
    const meddle = files.meddle;
    files.meddle = (seen, response, pass) => {
      if (refused++ > 0) return meddle(seen, response, pass);
      response.writeHead(403).end('<Error>expired</Error>');
      return true;
    };
    const done = await home.firn('--json', 'export', 'download');
    expect(done.code).toBe(0);
    expect(files.seen.at(-1)?.headers.range).toBe('bytes=5000-');
    const [part] = done.json.exports[0].parts;
    expect(
      createHash('sha256')
        .update(await readFile(part.file.path))
        .digest('hex'),
    ).toBe(part.file.sha256);
    expect(part.rows).toBe((await rowsOf(home)).length);
    expect(api.count('POST', exported)).toBe(1);
  });

  test('shows all exports where the service has forgotten one', { tags: 'long' }, async () => {
    const { api, home } = await network({ exportPolls: 0 });
    const started = await home.firn('--json', 'export', 'start', ...evm, ...year);
    const { operationId } = started.json.exports[0].parts[0];
    await home.firn('export', 'start', ...evm, '--first-date', '2026-01-01');
    api.meddle = ({ path }, response) => {
      if (!path.endsWith(operationId)) return false;
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"not found"}');
      return true;
    };
    const { code, err, json } = await home.firn('--json', 'export', 'status');
    expect([code, err]).toEqual([1, expect.stringContaining(`does not know operation ${operationId} (any more)`)]);
    expect(json.exports.map((one: { parts: { status: string }[] }) => one.parts[0]?.status)).toEqual([
      'RUNNING',
      'COMPLETED',
    ]);
  });

  test('a URL that stays expired is said, and what is still running is for later', { tags: 'long' }, async () => {
    const { home } = await network({ exportLifetimeMs: 0, exportPolls: 1 });
    await home.firn('export', 'start', ...evm, ...year);
    const { out } = await home.firn('export', 'download', '--help');
    expect(out.replace(/\s+/g, ' ')).toMatch(/default: 1h.*default: 1 GiB/);
    const early = await home.firn('export', 'download', '--max-time', '0s');
    expect([early.code, early.err]).toEqual([75, expect.stringContaining('is still RUNNING')]);
    const expired = await home.firn('export', 'download');
    expect([expired.code, expired.err]).toEqual([1, expect.stringContaining('Ask for the export again with --again')]);
  });

  test('refuses what breaks a rule before anything is asked', { tags: 'long' }, async () => {
    const { api, home } = await network();
    const good = `--type evm --address 0x${'1'.repeat(40)} --chain 1`;
    const wrong: readonly [string, string][] = [
      ['--type everything --address 0x1 --chain 1', 'is not one of evm, primary-network'],
      ['--type evm --address , --chain 1', 'at least one address'],
      ['--type evm --address P-avax1qqqqqqqq --chain 1', 'is not an EVM address'],
      [`${good} moon`, 'is neither an EVM chain id'],
      [
        '--type primary-network --address fuji1utacgpu8arf7sq0vdfh0zk0pukgfk8nyfxsh2k --chain moon',
        'is not a Primary Network chain',
      ],
      [`${good} --first-date 2026-02-30`, 'is not a date'],
      [`${good} --first-date 2026-02-03 --last-date 2026-02-02`, 'lies after'],
      [`${good} --first-date 2026-02-03 --start-date 2026-02-03`, 'deprecated name'],
    ];
    for (const [flags, message] of wrong) {
      const refused = await home.firn('export', 'start', ...flags.split(' '));
      expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(message)]);
    }
    expect(api.seen).toHaveLength(0);
  });

  test('says what is missing: a service, an export', { tags: 'long' }, async () => {
    const { home } = await network();
    const none = await home.firn('export', 'wait');
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('No export was asked for')]);
    const unknown = await home.firn('export', 'status', 'abc');
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('"abc"')]);
    await home.configure({ sources: {} });
    const without = await home.firn('export', 'status');
    expect([without.code, without.err]).toEqual([2, expect.stringContaining('Add sources.data.url')]);
  });
});
