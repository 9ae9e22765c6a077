import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { sources as declared } from '../pipelines/index.ts';
import { onCalendar, systemdUnits } from '../src/cli/tasks/systemdUnits.ts';
import { scheduledPipelines } from '../src/run/plan/schedulePipelines.ts';
import { settingsSchema } from '../src/run/settings.ts';
import { some } from './some.ts';
import { temporary } from './temporaryFolders.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string) => readFile(join(root, path), 'utf8');
/** How the image starts firn: nothing is looked for on a PATH. */
const inImage = ['/usr/local/bin/node', '/opt/firn/dist/cli/main.js'];

describe('Dockerfile', async () => {
  const text = (await read('Dockerfile')).replace(/\\\n\s*/g, '');
  const instructions = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ name: line.split(' ')[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }));
  const all = (name: string) => instructions.filter((instruction) => instruction.name === name).map(({ rest }) => rest);
  const allowed = (await read('.dockerignore'))
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));

  test('what it copies is there and let in, and what firn reads at run time is in the last stage', async () => {
    const copied = all('COPY').filter((rest) => !rest.startsWith('--from'));
    const sources = copied.flatMap((rest) =>
      rest
        .split(' ')
        .filter((word) => !word.startsWith('--'))
        .slice(0, -1),
    );
    for (const source of some(sources)) {
      expect(existsSync(join(root, source)), source).toBe(true);
      expect(
        allowed.some((path) => source === path || source.startsWith(`${path}/`)),
        source,
      ).toBe(true);
    }
    const last = instructions.slice(instructions.map(({ name }) => name).lastIndexOf('FROM'));
    const inside = last.filter(({ name }) => name === 'COPY').map(({ rest }) => rest.split(' ').at(-1) ?? '');
    const { files } = JSON.parse(await read('package.json')) as { files: string[] };
    const packed = files.filter((file) => !/^!|\.md$|^docs$|^examples$/.test(file));
    for (const file of some(packed))
      expect(
        inside.some((target) => file === target || file.startsWith(`${target}/`)),
        file,
      ).toBe(true);
  });

  test('what it copies is enough to build from', { tags: 'long' }, async () => {
    const folder = await temporary();
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    const end = instructions.map(({ name }) => name).lastIndexOf('FROM');
    for (const { name, rest } of instructions.slice(0, end)) {
      if (name === 'COPY') {
        const words = rest.split(' ');
        const target = words.at(-1) ?? '';
        for (const source of some(words.slice(0, -1)))
          await cp(join(root, source), join(folder, target === './' ? source : target), { recursive: true });
      }
      if (name === 'RUN' && rest.startsWith('node '))
        await promisify(execFile)(process.execPath, rest.split(' ').slice(1), { cwd: folder });
    }
    expect((await readdir(join(folder, 'dist', 'cli'))).sort()).toEqual(expect.arrayContaining(['main.js', 'page.js']));
  });

  test('neither secrets nor data come into the context', () => {
    expect(allowed.filter((path) => /env|firn\.yaml|\.git|node_modules/.test(path))).toEqual([]);
    expect(allowed.filter((path) => path.startsWith('warehouse'))).toEqual([]);
  });

  test('it ends as a user without rights, with the warehouse a volume and a healthcheck by firn status', () => {
    expect(all('FROM').every((image) => /^node:22-bookworm(-slim)?( AS \w+)?$/.test(image))).toBe(true);
    expect(all('FROM').at(-1)).toBe('node:22-bookworm-slim');
    expect(all('USER')).toEqual(['node']);
    expect(all('VOLUME')).toEqual(['/data/warehouse']);
    expect(all('HEALTHCHECK')).toEqual([expect.stringContaining('status --check')]);
    expect(JSON.parse(all('ENTRYPOINT')[0] ?? '')).toEqual(inImage);
    expect(all('HEALTHCHECK')[0]).toContain(`CMD ${inImage.join(' ')} `);
  });
});

describe('systemd', () => {
  const units = systemdUnits({ name: 'primary', expression: '*/10 * * * *' }, '/srv/firn', [
    '/usr/bin/node',
    '/srv/firn/node_modules/firn-etl/dist/cli/main.js',
    ...['--quiet', '--config', '/srv/firn/firn.yaml', 'run', '--pipeline', 'primary'],
  ]);
  const folder = 'examples/systemd';

  // `npx vitest run test/examples.test.ts -u` writes them again.
  test('the example is what firn schedule --print systemd prints', async () => {
    await expect(units.service).toMatchFileSnapshot(join(root, folder, `${units.name}.service`));
    await expect(units.timer).toMatchFileSnapshot(join(root, folder, `${units.name}.timer`));
  });

  test.each([
    ['*/10 * * * *', ['*-*-* *:0,10,20,30,40,50:00 UTC']],
    ['5 4 * * 1-5', ['Mon,Tue,Wed,Thu,Fri *-*-* 4:5:00 UTC']],
    ['5 4 * jan-Mar 0-4', ['Sun,Mon,Tue,Wed,Thu *-1..3-* 4:5:00 UTC']],
    ['*/20,5 4 * december mon-Fri/2,7', ['Mon,Wed,Fri,Sun *-12-* 4:0,20,40,5:00 UTC']],
    ['30 */6 * * */2', ['Sun,Tue,Thu,Sat *-*-* 0,6,12,18:30:00 UTC']],
    ['0-30/5 * 1,15 2-4 *', ['*-2..4-1,15 *:0,5,10,15,20,25,30:00 UTC']],
    ['0 */24 */31 */12 *', ['*-1-1 0:0:00 UTC']],
    ['0 3 1 * 7', ['*-*-1 3:0:00 UTC', 'Sun *-*-* 3:0:00 UTC']],
  ])('%s', async (expression, calendar) => {
    expect(onCalendar(expression)).toEqual(calendar);
    if (existsSync('/usr/bin/systemd-analyze'))
      for (const times of calendar) await promisify(execFile)('systemd-analyze', ['calendar', times]);
  });

  test.runIf(existsSync('/usr/bin/systemd-analyze'))(
    'minutes that do not divide the hour begin anew with each day',
    async () => {
      const [times = ''] = onCalendar('*/8 * * * *');
      const asked = ['calendar', '--base-time=2026-12-31 23:56:05 UTC', times];
      const { stdout } = await promisify(execFile)('systemd-analyze', asked, { env: { TZ: 'UTC', LC_ALL: 'C' } });
      expect(stdout).toContain('Next elapse: Fri 2027-01-01 00:00:00 UTC');
    },
  );

  test.runIf(existsSync('/usr/bin/systemd-analyze'))('systemd finds nothing wrong with it', async () => {
    const files = ['service', 'timer'].map((kind) => join(root, folder, `${units.name}.${kind}`));
    const { stderr } = await promisify(execFile)('systemd-analyze', ['verify', '--man=no', ...files]);
    expect(stderr.split('\n').filter((line) => line.includes(units.name))).toEqual([]);
  });
});

const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()),
  args: z.array(z.string()),
  envFrom: z.array(z.strictObject({ secretRef: z.strictObject({ name: z.string(), optional: z.boolean() }) })),
  resources: z.strictObject({ requests: z.record(z.string(), z.string()), limits: z.record(z.string(), z.string()) }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z.array(
    z.strictObject({
      name: z.string(),
      mountPath: z.string(),
      subPath: z.string().optional(),
      readOnly: z.boolean().optional(),
    }),
  ),
});
const pod = z.strictObject({
  restartPolicy: z.enum(['Never', 'OnFailure']),
  terminationGracePeriodSeconds: z.number().int().min(60),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.number().int().positive(),
    runAsGroup: z.number().int().positive(),
    fsGroup: z.number().int().positive(),
    fsGroupChangePolicy: z.enum(['OnRootMismatch', 'Always']),
    seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
  }),
  containers: z.tuple([container]),
  volumes: z.array(
    z.union([
      z.strictObject({ name: z.string(), persistentVolumeClaim: z.strictObject({ claimName: z.string() }) }),
      z.strictObject({ name: z.string(), configMap: z.strictObject({ name: z.string() }) }),
      z.strictObject({ name: z.string(), emptyDir: z.strictObject({}) }),
    ]),
  ),
});
const metadata = z.strictObject({ name: z.string() });
const cluster = z.tuple([
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('ConfigMap'),
    metadata,
    data: z.strictObject({ 'firn.yaml': z.string() }),
  }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('PersistentVolumeClaim'),
    metadata,
    spec: z.strictObject({
      accessModes: z.tuple([z.literal('ReadWriteOnce')]),
      resources: z.strictObject({ requests: z.strictObject({ storage: z.string().regex(/^\d+Gi$/) }) }),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('batch/v1'),
    kind: z.literal('CronJob'),
    metadata,
    spec: z.strictObject({
      schedule: z.string(),
      timeZone: z.literal('Etc/UTC'),
      concurrencyPolicy: z.literal('Forbid'),
      startingDeadlineSeconds: z.number().int().positive(),
      successfulJobsHistoryLimit: z.number().int(),
      failedJobsHistoryLimit: z.number().int(),
      jobTemplate: z.strictObject({
        spec: z.strictObject({ backoffLimit: z.literal(0), template: z.strictObject({ spec: pod }) }),
      }),
    }),
  }),
]);

test('the Kubernetes example is whole: its claim, its configuration and its pipeline are the ones it names', async () => {
  const documents = parseAllDocuments(await read('examples/kubernetes/firn.yaml'));
  const [config, claim, job] = cluster.parse(documents.map((document) => document.toJS()));
  const { containers, volumes } = job.spec.jobTemplate.spec.template.spec;
  const settings = settingsSchema(declared).parse(parse(config.data['firn.yaml']));
  expect(Object.keys(settings.pipelines)).toContain(containers[0].args.at(-1));
  expect(containers[0].command).toEqual(inImage);
  expect(volumes).toContainEqual({ name: 'warehouse', persistentVolumeClaim: { claimName: claim.metadata.name } });
  expect(volumes).toContainEqual({ name: 'config', configMap: { name: config.metadata.name } });
  expect(containers[0].volumeMounts.map(({ name }) => name).sort()).toEqual(volumes.map(({ name }) => name).sort());
});

test('the compose file mounts the volume and the configuration where the image looks for them', async () => {
  const service = z.object({
    build: z.string(),
    init: z.literal(true),
    restart: z.string(),
    stop_grace_period: z.string(),
    volumes: z.array(z.string()),
    read_only: z.literal(true),
  });
  const schema = z.object({
    services: z.strictObject({ firn: service }),
    volumes: z.strictObject({ warehouse: z.null() }),
  });
  const { firn } = schema.parse(parse(await read('examples/docker/compose.yaml'))).services;
  expect(existsSync(join(root, 'examples/docker', firn.build, 'Dockerfile'))).toBe(true);
  expect(firn.volumes).toEqual(['warehouse:/data/warehouse', './firn.yaml:/data/firn.yaml:ro']);
  const settings = settingsSchema(declared).parse(parse(await read('examples/docker/firn.yaml')));
  expect(scheduledPipelines(settings).length).toBe(1);
});
