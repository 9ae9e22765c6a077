import { existsSync } from 'node:fs';
import { chmod, chown, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { request } from 'undici';
import { FirnError } from '../../core/firnError.ts';
import { makeFolder } from '../../disk/makeFolder.ts';
import { fetchPrograms } from './fetchPrograms.ts';
import { firstPort, type Places, type Ports, placesIn, portsFrom } from './places.ts';
import { pidOf, type Service, startService, stopService, waitUntilReady } from './processes.ts';
import { programs } from './programs.ts';
import { runProgram } from './runProgram.ts';
import { account, icebergCatalogSql, trinoArguments, trinoFiles, trinoNodes } from './trinoFiles.ts';

export interface LocalClusterOptions {
  readonly folder: string;
  /** Where programs are, if not below it. */
  readonly programs?: string | undefined;
  /** The first of five ports. Default: where it was last started, or 18080. */
  readonly port?: number | undefined;
  /** `JAVA_HOME`, where its Java is to be used. */
  readonly javaHome?: string | undefined;
  readonly print: (line: string) => void;
}

/** How its parts are reached. */
export interface LocalCluster {
  readonly trino: string;
  readonly control: string;
  readonly bucket: { readonly url: string; readonly name: string; readonly key: string; readonly secret: string };
  /** The folder that the bucket serves. */
  readonly bucketFolder: string;
}

/** What a part of a cluster does now. */
export interface PartStatus {
  readonly name: string;
  readonly pid: number | null;
  readonly ready: boolean;
}

/** The parts of a cluster of this machine, in the order in which they start. */
function servicesOf(
  { run, programs: folder }: Places,
  ports: Ports,
  java: string,
  postgresAccount?: Account,
): Service[] {
  const answers = (url: string, isReady: (body: string) => boolean) => () =>
    request(url).then(
      async ({ body }) => isReady(await body.text()),
      () => false,
    );
  return [
    {
      name: 'postgres',
      port: ports.postgres,
      command: [postgresProgram(folder, 'postgres'), ...`-D data -p ${ports.postgres} -k . -h 127.0.0.1`.split(' ')],
      folder: join(run, 'postgres'),
      account: postgresAccount,
      end: 'SIGINT',
      isReady: () => isTaken(ports.postgres),
    },
    {
      name: 'bucket',
      port: ports.bucket,
      command: [
        join(folder, 'gateway', 'versitygw'),
        ...`--port 127.0.0.1:${ports.bucket} --health /healthz`.split(' '),
        ...`--access ${account.user} --secret ${account.password} --quiet posix`.split(' '),
        join(run, 'bucket'),
      ],
      folder: join(run, 'bucket'),
      end: 'SIGTERM',
      isReady: answers(`http://127.0.0.1:${ports.bucket}/healthz`, () => true),
    },
    ...trinoNodes(ports).map(
      (node): Service => ({
        name: node.name,
        port: node.port,
        command: [java, ...trinoArguments(node, join(folder, 'trino'))],
        folder: join(run, node.name),
        end: 'SIGTERM',
        isReady: answers(`http://127.0.0.1:${node.port}/v1/info`, (body) => body.includes('"starting":false')),
      }),
    ),
  ];
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

const postgresProgram = (folder: string, name: string) =>
  join(folder, 'postgres', dirname(programs.postgres.proof), name);

/**
 * Starts PostgreSQL, a bucket, and Trino with a coordinator and two workers, all on 127.0.0.1; what runs already stays.
 *
 * @throws FirnError `failed` where a program is missing, or a port belongs to somebody else
 */
export async function startCluster(options: LocalClusterOptions): Promise<LocalCluster> {
  const { folder, programs: fetchedTo, port, javaHome, print } = options;
  const places = placesIn(folder, fetchedTo);
  const before = await firstPort(places);
  const ports = portsFrom(port ?? before);
  const { java: fetched, ...others } = programs;
  const own = await recentJava(javaHome);
  const java = own ?? join(places.programs, 'java', fetched.proof);
  const postgresAccount = await accountForPostgres();
  const services = servicesOf(places, ports, java, postgresAccount);
  for (const { name, port: taken } of services) {
    if (await pidOf(places.run, name)) {
      if (ports.trino === before) continue;
      throw new FirnError('failed', `It runs already, at ports from ${before} on. Run firn cluster down first.`);
    }
    if (!(await isTaken(taken))) continue;
    throw new FirnError(
      'failed',
      `Port ${taken} is taken by a process that this cluster did not start: choose others by --port.`,
    );
  }
  await fetchPrograms(places.programs, own === undefined ? programs : others, print);
  await makeFolder(places.run);
  await prepare(places, ports, postgresAccount);
  const starting: Service[] = [];
  for (const service of services) {
    if (await pidOf(places.run, service.name)) continue;
    await startService(places.run, service);
    starting.push(service);
  }
  if (starting.length > 0) print('Starting; Trino takes half a minute to two.');
  await waitUntilReady(places.run, services, 600);
  return reached(places, ports);
}

const reached = ({ run }: Places, { trino, bucket, postgres }: Ports): LocalCluster => ({
  trino: `http://127.0.0.1:${trino}`,
  control: `postgres://${account.user}:${account.password}@127.0.0.1:${postgres}/firn`,
  bucket: { url: `http://127.0.0.1:${bucket}`, name: account.bucket, key: account.user, secret: account.password },
  bucketFolder: join(run, 'bucket', account.bucket),
});

/** The parts of a cluster as they were last started. */
const startedServices = async (places: Places) => servicesOf(places, portsFrom(await firstPort(places)), '');

/** Ends what this cluster started. With `remove`, its data go too; programs stay. @returns names of what ran */
export async function stopCluster(folder: string, remove: boolean): Promise<string[]> {
  const places = placesIn(folder);
  const services = await startedServices(places);
  const ran = await Promise.all(services.map((service) => stopService(places.run, service)));
  if (remove) await rm(places.run, { recursive: true, force: true });
  return services.flatMap(({ name }, i) => (ran[i] ? [name] : []));
}

export async function clusterStatus(folder: string): Promise<PartStatus[]> {
  const places = placesIn(folder);
  const services = await startedServices(places);
  return Promise.all(
    services.map(async ({ name, isReady }) => {
      const pid = (await pidOf(places.run, name)) ?? null;
      return { name, pid, ready: pid !== null && (await isReady()) };
    }),
  );
}

/** Writes configuration and makes the database, where they are not there. */
async function prepare({ run, programs: folder }: Places, ports: Ports, postgresAccount?: Account): Promise<void> {
  await makeFolder(join(run, 'bucket', account.bucket));
  await makeFolder(join(run, 'exchange'));
  for (const node of trinoNodes(ports)) {
    for (const [name, text] of Object.entries(trinoFiles(node, ports, join(run, 'exchange')))) {
      const file = join(run, node.name, name);
      await makeFolder(dirname(file));
      await writeFile(file, text);
    }
    const plugins = join(run, node.name, 'plugin');
    if (!existsSync(plugins)) await symlink(join(folder, 'trino', 'plugin'), plugins);
  }
  const data = join(run, 'postgres', 'data');
  if (existsSync(join(data, 'whole'))) return;
  await rm(data, { recursive: true, force: true });
  await makeFolder(data);
  if (postgresAccount)
    for (const owned of [dirname(data), data]) await chown(owned, postgresAccount.uid, postgresAccount.gid);
  await chmod(data, 0o700);
  const options = { cwd: dirname(data), ...postgresAccount };
  await runProgram(
    [postgresProgram(folder, 'initdb'), '-D', 'data', '-U', account.user, '-A', 'trust', '-E', 'UTF8', '--locale', 'C'],
    options,
  );
  const single = (database: string) => [postgresProgram(folder, 'postgres'), '--single', '-j', '-D', 'data', database];
  await runProgram(single('postgres'), options, `CREATE DATABASE ${account.user};\n\n`);
  await runProgram(single(account.user), options, `${icebergCatalogSql.trim().split(';\n').join(';\n\n')}\n\n`);
  await writeFile(join(data, 'whole'), '');
}

/** The Java of a folder, where it is new enough for Trino. */
async function recentJava(home: string | undefined): Promise<string | undefined> {
  if (home === undefined) return undefined;
  const java = join(home, 'bin', 'java');
  const told = await runProgram([java, '--version']).catch(() => '');
  return Number(/(\d+)/.exec(told)?.[1]) >= 24 ? java : undefined;
}

/** PostgreSQL refuses to run as root: there it runs as nobody. */
async function accountForPostgres(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => runProgram(['id', flag, 'nobody'])));
  return { uid: Number(uid), gid: Number(gid) };
}

const isTaken = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** Where a cluster of this machine is kept; root's home is closed to PostgreSQL, which runs as another account there. */
export const clusterFolder = (): string =>
  join(process.getuid?.() === 0 ? '/var/cache' : join(homedir(), '.cache'), 'firn', 'cluster');
