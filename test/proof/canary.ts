import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { literal } from '../../src/core/text/sqlText.ts';
import { openDuckDb } from '../../src/load/database/openDuckDb.ts';
import { type Echo, mark, secretPlace, startEcho } from './echo.ts';
import type { Prepared, Proof } from './proof.ts';
import type { Place, Scene } from './scene.ts';

/** As a configuration takes it from the environment. */
const env = (name: string) => `\${env:CANARY_${name}}`;

const key = 'canary-4f2b9c81d77e4a0f';
const password = 'p@ss/w:rd?#%41 canary-7c21';
const both = `user:${password}`;
const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, '');
/** The key and the password as somebody might write them; the last ones are what a URL cut at the wrong sign would leave. */
const spellings = [
  ...[key, password, both].flatMap((text) => [text, encodeURIComponent(text), base64(text)]),
  Buffer.from(both).toString('base64url'),
  'canary-7c21',
  '4f2b9c81',
];

interface Form {
  readonly name: string;
  /** Members of the sources, and of the configuration; `url` is the server's. */
  readonly make: (url: string) => {
    readonly node?: object;
    readonly data?: object;
    readonly metrics?: object;
    readonly more?: object;
  };
}

const inside = (url: string, user: string) => url.replace('://', `://${user}@`);
const literalPassword = `user:${encodeURIComponent(password)}`;

/** Every form in which a secret may stand in a configuration. */
const forms: readonly Form[] = [
  { name: 'a key from the environment', make: () => ({ data: { key: env('KEY') } }) },
  { name: 'a key as it is', make: () => ({ data: { key } }) },
  {
    name: 'a key in a header of another name',
    make: () => ({ data: { key: env('KEY'), keyHeader: 'x-who' } }),
  },
  { name: 'a key of the metrics service', make: () => ({ metrics: { key: env('KEY') } }) },
  { name: 'a header from the environment', make: () => ({ data: { headers: { 'x-tenant': env('KEY') } } }) },
  { name: 'a part of a header', make: () => ({ data: { headers: { authorization: `Bearer ${env('KEY')}` } } }) },
  { name: 'a header as it is', make: () => ({ data: { headers: { 'x-auth-token': key } } }) },
  { name: 'a header of the node', make: () => ({ node: { headers: { authorization: `Bearer ${env('KEY')}` } } }) },
  { name: 'a password in a URL', make: (url) => ({ data: { url: inside(url, `user:${env('PASSWORD')}`) } }) },
  { name: 'a password in a URL as it is', make: (url) => ({ data: { url: inside(url, literalPassword) } }) },
  { name: 'a URL from the environment', make: () => ({ data: { url: env('URL') } }) },
  { name: 'a path from the environment', make: (url) => ({ data: { url: `${url}${secretPlace}${env('KEY')}` } }) },
  { name: 'a path as it is', make: (url) => ({ data: { url: `${url}${secretPlace}${key}` } }) },
  {
    name: "the URL of a chain's own server",
    make: (url) => ({ node: { rpc: { C: `${url}${secretPlace}${env('KEY')}/ext/bc/C/rpc` } } }),
  },
  {
    name: "the query of a chain's own server",
    make: (url) => ({ node: { rpc: { C: `${url}/ext/bc/C/rpc?apikey=${env('KEY')}` } } }),
  },
  {
    name: "the headers of a chain's own server",
    make: (url) => ({
      node: { rpc: { C: { url: `${url}/ext/bc/C/rpc`, headers: { 'x-token': env('KEY') } } } },
    }),
  },
  {
    name: 'the path of a webhook',
    make: (url) => ({ more: { notify: { webhook: `${url}/hook/${env('KEY')}` } } }),
  },
  {
    name: 'the headers of a lineage service',
    make: (url) => ({ more: { lineage: { url: `${url}/lineage`, headers: { authorization: env('KEY') } } } }),
  },
];

/** What prints or stores, in the order in which a user comes to it. */
const commands: readonly (readonly string[])[] = [
  ['--verbose', 'doctor'],
  ['plan'],
  ['--verbose', 'run'],
  ['--json', 'run'],
  ['--json', 'status'],
  ['status', '--notify'],
  ['status', '--runs'],
  ['status', '--prometheus', '-'],
  ['state'],
  ['--json', 'quarantine'],
  ['report'],
  ['verify', '--evidence'],
  ['dbt-project', 'dbt'],
  ['dictionary'],
  ['schedule', '--print', 'systemd'],
  ['--verbose', '--warehouse', 'elsewhere', 'sync', '--select', 'data/*'],
];

export const canary: Proof = {
  name: 'canary',
  claim: `a key, or a password, in every form in which the configuration takes one, before servers that echo it in rows, records and errors: it is in nothing that ${commands.length} commands print or send, and in no file and no table that they leave`,
  prepare: async (scene): Promise<Prepared> => ({
    cases: forms.length,
    async run(number) {
      const form = forms[number - 1];
      if (!form) throw new Error(`There are ${forms.length} cases.`);
      const echo = await startEcho(scene.late.url);
      try {
        const places = await search(scene, form, echo);
        return [`${form.name}, looked for in ${places} places`];
      } finally {
        echo.close();
      }
    },
  }),
};

/** @returns in how many places the secret is not; @throws where it is in one */
async function search(scene: Scene, form: Form, echo: Echo): Promise<number> {
  const place = await scene.place('new');
  const { folder } = place;
  await configure(place, form, echo.url);
  const variables = {
    CANARY_KEY: key,
    CANARY_PASSWORD: password,
    CANARY_URL: inside(echo.url, literalPassword),
  };
  const found: string[] = [];
  let [places, marked] = [0, 0];
  const look = (where: string, text: string) => {
    places++;
    if (text.includes(mark)) marked++;
    if (spellings.some((spelling) => text.includes(spelling))) found.push(where);
  };
  for (const args of commands) {
    const { code, stdout, stderr } = await place.start(args, variables).ended;
    if (code === 2) throw new Error(`firn ${args.join(' ')} is refused: ${stderr.slice(0, 500)}`);
    look(`stdout of firn ${args.join(' ')}`, stdout);
    look(`stderr of firn ${args.join(' ')}`, stderr);
  }
  const sent = echo.heard.filter(({ head }) => head.includes(key) || head.includes(password));
  if (sent.length === 0) throw new Error(`${form.name}: the secret was never sent.`);
  for (const { path, body } of echo.heard) if (body !== '') look(`what is sent to ${path}`, body);
  for (const file of await filesBelow(folder)) {
    if (file === join(folder, 'firn.yaml')) continue;
    look(file, await readFile(file, 'latin1'));
    for (const [name, text] of await rowsOf(file)) look(`${file}, ${name}`, text);
  }
  if (marked === 0) throw new Error(`${form.name}: what was echoed came nowhere.`);
  if (found.length > 0) throw new Error(`${form.name} is in ${found.join('; ')}`);
  await place.remove();
  return places;
}

async function configure({ folder }: Place, { make }: Form, url: string): Promise<void> {
  const { node, data, metrics, more } = make(url);
  const configuration = {
    warehouse: './warehouse',
    sources: { node: { url, ...node }, data: { url, network: 'fuji', ...data }, metrics: { url, ...metrics } },
    pipelines: {
      main: {
        schedule: '*/10 * * * *',
        streams: {
          'node/evm_blocks': { blockchainIds: ['C'], from: '2026-02-05' },
          'metrics/chain_metrics': { chainIds: ['43112'], metrics: ['txCount'], from: '2026-02-01' },
          'data/chains': {},
          'data/latest_transactions': { chainIds: ['43112'], from: '2026-02-06' },
        },
      },
    },
    notify: { webhook: `${url}/hook` },
    lineage: { url: `${url}/lineage` },
    ...more,
  };
  await writeFile(join(folder, 'firn.yaml'), stringify(configuration));
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** The tables of a database, or the rows of a Parquet file, as text: their files are compressed. */
async function rowsOf(file: string): Promise<[string, string][]> {
  const isDatabase = file.endsWith('.duckdb');
  if (!isDatabase && !file.endsWith('.parquet')) return [];
  const { connection, close } = await openDuckDb({ folders: [join(file, '..')] });
  try {
    const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRows().map(([text]) => String(text));
    if (!isDatabase)
      return [['its rows', (await read(`SELECT CAST(t AS VARCHAR) FROM ${literal(file)} AS t`)).join('\n')]];
    await connection.run(`ATTACH ${literal(file)} AS looked (READ_ONLY)`);
    const tables = await read(
      `SELECT 'looked."' || schema_name || '"."' || table_name || '"' FROM duckdb_tables() WHERE database_name = 'looked' AND estimated_size > 0`,
    );
    const texts: [string, string][] = [];
    for (const table of tables)
      texts.push([table, (await read(`SELECT CAST(t AS VARCHAR) FROM ${table} AS t`)).join('\n')]);
    return texts;
  } finally {
    close();
  }
}
