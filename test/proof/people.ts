import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startFirn } from '../cli/firnProcess.ts';
import { changeState } from './changeState.ts';
import { type Gate, startGate } from './gate.ts';
import { listed, type Mishap } from './listed.ts';
import { expectEnd, expectSameRows, expectWhole, type Place, type Scene } from './scene.ts';
import { expectSaid, expectUnharmed } from './unharmed.ts';

const copy = promisify(execFile);
const stateOf = ({ warehouse }: Place) => join(warehouse, '.state', 'firn.duckdb');
const sha256 = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

/** A run that is held at its first request while something happens to its warehouse. */
async function whileRunning(scene: Scene, use: (place: Place, gate: Gate) => Promise<void>): Promise<void> {
  const gate = await startGate(scene.late.url);
  try {
    await use(await scene.place('published', gate.url), gate);
  } finally {
    gate.close();
  }
}

/** Runs a command without --quiet. */
const aloud = ({ folder }: Place, command: string, env: Readonly<Record<string, string>> = {}) =>
  startFirn(['--config', join(folder, 'firn.yaml'), command], { cwd: folder, env }).ended;

const mishaps: readonly Mishap[] = [
  {
    name: 'two configurations on one warehouse',
    async run(scene) {
      const place = await scene.place('published');
      const text = await readFile(join(place.folder, 'firn.yaml'), 'utf8');
      await place.configure((own) => own.replace(/streams:[\s\S]*$/, 'streams:\n      data/chains: {}\n'));
      const ended = await aloud(place, 'run');
      expectEnd(ended, 'a run of another configuration');
      expectSaid(ended, /does not name what was read before: .*node\/containers.*a warehouse of its own/s);
      await place.configure(() => text);
      await expectUnharmed(scene, place);
    },
  },
  {
    name: 'a stream under another name',
    async run(scene) {
      const place = await scene.place('published');
      await place.configure((text) => text.replace('node/containers', 'node/container'));
      const ended = await place.firn('run');
      expectEnd(ended, 'a run', 2);
      expectSaid(ended, /There is no stream "node\/container".*node\/containers/s);
      await place.configure((text) => text.replace('node/container', 'node/containers'));
      await expectUnharmed(scene, place);
    },
  },
  {
    name: 'another list of addresses',
    async run(scene) {
      const lists = [
        '["0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc"]',
        '["0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc", "0x0000000000000000000000000000000000000001"]',
      ];
      const [changed, fresh] = [await scene.place('published'), await scene.place('published')];
      const listing = (place: Place, list = '') =>
        place.configure(
          (text) =>
            `${text.replace(/ {6}data\/address_transactions.*\n/, '')}      data/address_transactions: { chainIds: ["43112"], addresses: ${list} }\n`,
        );
      for (const list of lists) {
        await listing(changed, list);
        const ended = await aloud(changed, 'run');
        expectEnd(ended, `a run of ${list}`);
        if (/does not name/.test(ended.stderr))
          throw new Error(`It takes addresses for another configuration: ${ended.stderr}`);
      }
      await listing(fresh, lists[1]);
      expectEnd(await fresh.firn('run'), 'a run of the second list alone');
      await expectWhole(changed);
      await expectSameRows(changed, fresh);
      for (const place of [changed, fresh]) await place.remove();
    },
  },
  {
    name: 'an older firn',
    async run(scene) {
      const place = await scene.place('published');
      await changeState(place, `INSERT INTO main.firn_schema_version VALUES (9999, 'of the future', now()::TIMESTAMP)`);
      const before = await sha256(stateOf(place));
      const ended = await place.firn('run');
      expectEnd(ended, 'a run', 2);
      expectSaid(ended, /schema version 9999.*Upgrade firn/);
      if ((await sha256(stateOf(place))) !== before) throw new Error('It changed the state.');
      await changeState(place, 'DELETE FROM main.firn_schema_version WHERE "version" = 9999');
      await expectUnharmed(scene, place);
    },
  },
  {
    name: 'a clock that is set back by a year',
    async run(scene) {
      const place = await scene.place('published');
      const back = `const RealDate=Date;const by=${366 * 86_400_000};globalThis.Date=class extends RealDate{constructor(...a){a.length?super(...a):super(RealDate.now()-by)}static now(){return RealDate.now()-by}}`;
      const ended = await aloud(place, 'run', {
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(back)}`,
      });
      expectEnd(ended, 'a run of last year');
      expectSaid(ended, /The clock of this machine says .* one of them was wrong/);
      await expectUnharmed(scene, place);
    },
  },
  {
    name: 'rows that somebody deleted from the state',
    async run(scene) {
      const place = await scene.place('done');
      await changeState(
        place,
        'DELETE FROM raw.node_evm_blocks WHERE "number" = (SELECT min("number") + 10 FROM raw.node_evm_blocks)',
      );
      // Audits look at what came since; `verify` looks at everything.
      expectEnd(await place.firn('publish'), 'publish');
      const ended = await place.firn('verify');
      expectEnd(ended, 'verify', 3);
      expectSaid(ended, /number \d+ of chain_id 43112 is missing/);
      expectEnd(await place.firn('state', 'reset', 'node/evm_blocks'), 'state reset');
      expectEnd(await place.firn('run'), 'a run that reads them again');
      await expectUnharmed(scene, place);
    },
  },
  {
    name: 'a warehouse that is copied while it is written',
    run: (scene) =>
      whileRunning(scene, async (place, gate) => {
        const running = place.start(['run']);
        await gate.asked;
        gate.open();
        const target = `${place.folder}-copy`;
        await delay(500);
        await copy('cp', ['-a', place.folder, target]).catch(() => undefined);
        expectEnd(await running.ended, 'the run');
        const copied = scene.at(target);
        const ended = await copied.firn('run');
        // Files that were copied at different moments may not fit together: then the command says so, and uses none of them.
        expectEnd(ended, 'a run of the copy', 0, 1);
        if (ended.code === 1) expectSaid(ended, /is damaged/);
        else await expectUnharmed(scene, copied);
        await expectUnharmed(scene, place);
      }),
  },
  {
    name: 'a warehouse that is moved while it is written',
    run: (scene) =>
      whileRunning(scene, async (place, gate) => {
        const running = place.start(['run']);
        await gate.asked;
        const moved = `${place.warehouse}-moved`;
        await rename(place.warehouse, moved);
        gate.open();
        const ended = await running.ended;
        expectEnd(ended, 'the run', 1, 73);
        expectSaid(ended, /was moved|is not there any more|no such file/i);
        if (existsSync(join(place.warehouse, 'lake')))
          throw new Error('It published into a folder that was moved away.');
        await rename(place.warehouse, `${place.warehouse}-left`).catch(() => undefined);
        await rename(moved, place.warehouse);
        await expectUnharmed(scene, place);
      }),
  },
];

export const people = listed(
  'people',
  'two configurations, a mistyped stream, another list of addresses, an older firn, a clock set back, rows deleted by hand, a warehouse that is copied or moved while it is written: nothing is damaged, and what cannot be done is said',
  mishaps,
);
