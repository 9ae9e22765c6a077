import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { notify } from '../../../src/cli/runs/notify.ts';
import { withNotice } from '../../../src/cli/runs/withNotice.ts';
import { createConsole } from '../../../src/cli/terminal/console.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import { systemClock } from '../../../src/extract/clock.ts';
import type { PublishResult } from '../../../src/publish/publish.ts';
import type { FindingKind } from '../../../src/report/health/assessHealth.ts';
import type { PartitionResult } from '../../../src/run/read/syncOptions.ts';
import { openRunRecord } from '../../../src/run/records/openRunRecord.ts';
import { phases, type RunReport } from '../../../src/run/records/runReport.ts';
import type { Settings } from '../../../src/run/settings.ts';
import { listening } from '../../listening.ts';
import { temporary } from '../../temporaryFolders.ts';
import { publishedSample } from '../publishedSample.ts';

/** The streams do not matter here. */
const registry = { sources: [], catalogue: [], actions: [], models: [], audits: [] };

interface Message {
  readonly event: string;
  readonly text: string;
  readonly findings: readonly { readonly kind: string }[];
}

let messages: Message[];
let status: number;
let webhook: string;

beforeEach(async () => {
  messages = [];
  status = 204;
  const server = createServer(async (request, response) => {
    messages.push((await json(request)) as Message);
    response.writeHead(status, { location: '/elsewhere' }).end();
  });
  const { url, close } = await listening(server);
  webhook = `${url}/secret-path`;
  onTestFinished(close);
});

const calmed = `
  DELETE FROM firn.run WHERE run_id IN ('r3', 'r4');
  DELETE FROM firn.audit WHERE failed_rows > 0;
  DELETE FROM firn.held_back;
  UPDATE firn.quarantine SET replayed_at = now()::TIMESTAMP;
  UPDATE mart.reconciliation SET verdict = 'equal' WHERE verdict = 'differs'`;

describe('a webhook', () => {
  test('hears of trouble once, of new trouble again, and of the end of it', { tags: 'long' }, async () => {
    const { firn, republish } = await publishedSample({ notify: { webhook, staleAfter: '9999d' } }, { troubles: true });
    await firn('status', '--notify');
    await firn('status', '--notify');
    expect(messages.map(({ event }) => event)).toEqual(['trouble']);
    expect(messages[0]?.findings.map(({ kind }) => kind)).toEqual([
      'failed',
      'failed',
      'failed',
      'mismatch',
      'mismatch',
      'quarantined',
    ]);
    expect(messages[0]?.text).toContain('ended with 77 (not authorised)');
    await republish(calmed);
    await firn('status', '--notify');
    await firn('status', '--notify');
    expect(messages.map(({ event }) => event)).toEqual(['trouble', 'recovered']);
  });

  test.each([
    ['9999d', []],
    ['0s', ['trouble']],
  ])(
    'hears by firn status of a run that is to be tried again once nothing was published for %s',
    {
      tags: 'long',
    },
    async (staleAfter, events) => {
      const { firn, warehouse, republish } = await publishedSample(
        { notify: { webhook, staleAfter } },
        { troubles: true },
      );
      await republish(calmed);
      const startedAt = new Date().toISOString();
      const run = { runId: 'late', command: 'run', phases, pipelines: [], isWhole: true, startedAt };
      await (await openRunRecord(warehouse, run)).end(75, {});
      for (let n = 0; n < 2; n++) expect((await firn('status', '--check', '--notify')).code).toBe(75);
      expect(messages.map(({ event }) => event)).toEqual(events);
    },
  );

  test('does not hear that trouble is over of which it is not to hear any more', async () => {
    const warehouse = await temporary();
    const tell = (on: readonly FindingKind[]) =>
      notify(
        {
          warehouse,
          sources: {},
          pipelines: {},
          publish: { keepVersions: 1 },
          notify: { webhook, on: [...on], staleAfter: '1d' },
        },
        () => [{ kind: 'mismatch', sentence: '', exitCode: 3 }],
        createConsole({ config: 'firn.yaml', quiet: true }),
      );
    await tell(['mismatch']);
    await tell(['failed']);
    await tell(['mismatch', 'failed']);
    expect(messages.map(({ event }) => event)).toEqual(['trouble']);
  });

  test('hears of what it is told to only', { tags: 'long' }, async () => {
    const { firn } = await publishedSample({ notify: { webhook, on: ['quarantined'] } }, { troubles: true });
    await firn('status', '--notify');
    expect(messages[0]?.findings.map(({ kind }) => kind)).toEqual(['quarantined']);
  });

  test.each([500, 302, 404])(
    'that answers %d is told again, and changes nothing else',
    { tags: 'long' },
    async (answer) => {
      const { firn } = await publishedSample({ notify: { webhook, staleAfter: '9999d' } }, { troubles: true });
      status = answer;
      const { code, err } = await firn('--quiet', 'status', '--notify');
      expect(code).toBe(0);
      expect(err).toMatch(/The webhook at 127\.0\.0\.1:\d+ /);
      expect(err).not.toContain('secret-path');
      expect(messages).toHaveLength(1);
      status = 200;
      await firn('status', '--notify');
      expect(messages).toHaveLength(2);
    },
  );

  test('that nobody answers at is a remark without its path', { tags: 'long' }, async () => {
    const { firn } = await publishedSample(
      { notify: { webhook: 'http://127.0.0.1:9/secret-path' } },
      { troubles: true },
    );
    const { code, err } = await firn('status', '--notify');
    expect([code, err.includes('could not be reached'), err.includes('secret-path')]).toEqual([0, true, false]);
  });

  test('hears once that nothing can be read', { tags: 'long' }, async () => {
    const { firn, warehouse } = await publishedSample({ notify: { webhook } });
    await rm(join(warehouse, 'analytics.duckdb'));
    for (let n = 0; n < 2; n++) expect((await firn('status', '--notify')).code).toBe(1);
    const sentence = expect.stringMatching(/^The state could not be read: .*analytics\.duckdb is missing/);
    expect(messages).toMatchObject([{ event: 'trouble', findings: [{ kind: 'failed', exitCode: 1, sentence }] }]);
  });

  test('hears of a run that could not begin', { tags: 'long' }, async () => {
    const { firn, warehouse } = await publishedSample({ notify: { webhook } });
    const { code } = await firn('run', '--select', 'no/such_stream');
    expect(code).toBe(2);
    expect(messages[0]).toMatchObject({ event: 'trouble', warehouse, findings: [{ kind: 'failed', exitCode: 2 }] });
  });

  describe('after a run', () => {
    const report = (exitCode: number) =>
      ({
        exitCode,
        published: null,
        partitions: [],
        problems: [],
        audits: [],
        heldBack: [],
        reconciliation: null,
      }) as unknown as RunReport;
    const output = createConsole({ config: 'firn.yaml', quiet: true });
    const settingsOf = async () =>
      ({ warehouse: await temporary(), notify: { webhook, staleAfter: '6h' } }) as unknown as Settings;
    /** A run of a pipeline, with what it read, at a moment; what the webhook hears of it. */
    const ran = async (settings: Settings, pipeline: string, code: number, at: number, told: Partial<RunReport>) => {
      const startedAt = new Date(at).toISOString();
      const run = { runId: `r${at}`, command: 'run', phases: ['sync'] as const, pipelines: [pipeline], isWhole: true };
      await withNotice({ settings, registry }, output, async () => {
        const record = await openRunRecord(
          settings.warehouse,
          { ...run, startedAt },
          { ...systemClock, now: () => at },
        );
        await record.end(code, told);
        return report(code);
      });
      return messages.splice(0).map(({ event }) => event);
    };

    test.each([
      [0, []],
      [1, ['failed']],
      [3, ['mismatch']],
      [4, ['quarantined']],
      [73, ['failed']],
      [75, []],
      [77, ['failed']],
      [130, []],
      [143, []],
    ])('that ended with %d', async (code, kinds) => {
      const settings = await settingsOf();
      await withNotice({ settings, registry }, output, async () => report(code));
      expect(messages.flatMap(({ findings }) => findings.map(({ kind }) => kind))).toEqual(kinds);
    });

    test.each([
      ['published last', 5, { version: 1 }, []],
      ['published last', 7, { version: 1 }, ['trouble']],
      ['was the first, and published nothing', 5, null, []],
      ['was the first, and published nothing', 7, null, ['trouble']],
    ])('that must try again later, as one that %s %d hours ago', async (_, hours, published, events) => {
      const settings = await settingsOf();
      const told = { published: published as PublishResult | null };
      const first = Date.now() - hours * 3_600_000;
      await ran(settings, 'often', 0, first, told);
      expect(await ran(settings, 'often', 75, first + 1, { published: null })).toEqual(events);
    });

    test('that went well, or is to be tried again: another pipeline that failed is not well again', async () => {
      const settings: Settings = {
        ...(await settingsOf()),
        sources: {},
        pipelines: { often: { streams: {} }, daily: { streams: {} } },
      };
      let at = Date.now() - 60_000;
      const ranNext = (pipeline: string, code: number) =>
        ran(settings, pipeline, code, at++, { published: code === 0 ? ({} as PublishResult) : null });
      expect(await ranNext('daily', 77)).toEqual(['trouble']);
      expect(await ranNext('often', 0)).toEqual([]);
      expect(await ranNext('daily', 75)).toEqual([]);
      expect(await ranNext('daily', 77)).toEqual([]);
      expect(await ranNext('daily', 0)).toEqual(['recovered']);
      // What `firn status --notify` tells is late stays late.
      expect(await ranNext('daily', 75)).toEqual([]);
      await notify(settings, () => [{ kind: 'stale', sentence: '', exitCode: 75 }], output);
      expect(messages.splice(0)).toHaveLength(1);
      expect(await ranNext('often', 0)).toEqual([]);
      expect(await ranNext('daily', 0)).toEqual(['recovered']);
    });

    test.each([
      ['a minute', 60_000, []],
      ['7 hours', 7 * 3_600_000, ['trouble']],
    ])('of whose parts one is to be tried again, last read %s ago', async (_, ago, events) => {
      const settings: Settings = {
        ...(await settingsOf()),
        sources: {},
        pipelines: { often: { streams: {} }, hourly: { streams: {} } },
      };
      const ranBefore = (pipeline: string, code: number, before: number, read?: object) => {
        const at = Date.now() - before;
        const endedAt = new Date(at).toISOString();
        const part = { stream: 'data/chains', partition: 'all', pipeline, endedAt, requests: 1, seconds: 1 };
        const partitions = read ? [{ ...part, ...read } as unknown as PartitionResult] : [];
        return ran(settings, pipeline, code, at, { published: {} as PublishResult, partitions });
      };
      await ranBefore('hourly', 0, ago, { outcome: 'done' });
      const down = { outcome: 'failed', code: 'unavailable', message: 'It does not answer.' };
      expect(await ranBefore('hourly', 75, 30_000, down)).toEqual(events);
      expect(await ranBefore('often', 0, 20_000)).toEqual([]);
      expect(await ranBefore('hourly', 0, 10_000, { outcome: 'done' })).toEqual(events.map(() => 'recovered'));
    });

    test('that went well, where nothing tells what else is wrong: that trouble is over is not known', async () => {
      const settings: Settings = { ...(await settingsOf()), sources: {}, pipelines: { often: { streams: {} } } };
      const at = Date.now() - 60_000;
      expect(await ran(settings, 'often', 77, at, {})).toEqual(['trouble']);
      await writeFile(join(settings.warehouse, 'analytics.duckdb'), 'no database');
      expect(await ran(settings, 'often', 0, at + 1, {})).toEqual([]);
      await rm(join(settings.warehouse, 'analytics.duckdb'));
      expect(await ran(settings, 'often', 0, at + 2, {})).toEqual(['recovered']);
    });

    test('that could not begin: the error goes on to who called', async () => {
      const run = withNotice({ settings: await settingsOf(), registry }, output, async () => {
        throw new FirnError('network_mismatch', 'The node answers for another network.');
      });
      await expect(run).rejects.toThrow('another network');
      expect(messages[0]?.text).toContain(
        'The run ended with 2 (usage or configuration): The node answers for another network.',
      );
    });
  });
});
