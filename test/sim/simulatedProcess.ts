import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { actions, catalogue, sources } from '../../pipelines/index.ts';
import { reportContext } from '../../src/cli/open/reportContext.ts';
import { withPublished } from '../../src/cli/open/withPublished.ts';
import type { Table } from '../../src/core/columns/table.ts';
import { FirnError } from '../../src/core/firnError.ts';
import { type Declared, type Stream, tablesOf } from '../../src/core/stream/stream.ts';
import { openWarehouse, type Warehouse } from '../../src/load/state/warehouse.ts';
import { assessHealth } from '../../src/report/health/assessHealth.ts';
import { readRelations } from '../../src/report/read/readRelations.ts';
import { readStatus } from '../../src/report/read/readStatus.ts';
import type { PhaseOptions } from '../../src/run/phases/phaseOptions.ts';
import { runPhases } from '../../src/run/phases/runPhases.ts';
import { type Phase, phases, type RunReport } from '../../src/run/records/runReport.ts';
import type { Settings } from '../../src/run/settings.ts';
import { placeState } from '../placeState.ts';
import { unpublished } from '../publish/unpublished.ts';
import { type EffectPlan, hookEffects } from './effects.ts';
import type { Faults } from './faults.ts';
import type { Network } from './network.ts';
import type { Random } from './random.ts';
import type { SimClock } from './simClock.ts';

interface Parts {
  /** Of the warehouse. */
  readonly folder: string;
  readonly clock: SimClock;
  readonly faults: Faults;
  readonly random: Random;
  readonly network: Network;
  readonly catalogue: readonly Stream[];
  /** Whether runs build and publish now and then, for which all tables there are must be. */
  readonly publishes: boolean;
  readonly settings: () => Settings;
  /** Told what happens, for a closer look at a seed. */
  readonly tell?: ((line: string) => void) | undefined;
  /** What is to be told of the world at a run's end. */
  readonly about?: () => string;
  /** Gives the error that says how to come here again. */
  readonly wrong: (what: string, cause?: unknown) => Error;
  /** Called before each effect of a run that publishes. */
  readonly beside?: (effect: number) => Promise<void>;
}

interface RunPlan extends EffectPlan {
  /** When the process is asked to end. */
  readonly stopAt?: number;
  /** Reads something other than what is new. */
  readonly read?: PhaseOptions['read'];
}

/** What a run does. */
const commands = {
  run: phases,
  sync: ['sync'],
  rebuild: ['build'],
} as const satisfies Readonly<Record<string, readonly Phase[]>>;

export const hourMs = 3_600_000;
/** From one effect on all fail. */
const manyFailures = 10_000;
/** No process has this number: it is above the highest that systems give. */
const nobody = 2 ** 31 - 1;

/** The program on its machine: run after run on one warehouse, each killed, stopped or without a disk as it comes, and its `status` after each. */
export class SimulatedProcess {
  runs = 0;
  requests = 0;
  published = 0;
  readonly tables: readonly Table[];
  readonly #parts: Parts;
  readonly #effects;
  /** Effects of runs so far, by what they were to do: where a crash is to strike. */
  #usual = 100;
  /** Whether the warehouse's folder was there when the process was killed. */
  #isThere = true;
  /** Whether the last run that was to publish did so. */
  #isPublished = true;

  constructor(parts: Parts) {
    this.#parts = parts;
    const declared: readonly Declared[] = parts.publishes ? [...catalogue, ...actions] : parts.catalogue;
    this.tables = tablesOf(declared);
    this.#effects = hookEffects(parts.clock, async () => {
      this.#isThere = existsSync(parts.folder);
      if (this.#isThere)
        await cp(parts.folder, this.#left, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    });
    parts.network.isDead = () => this.#effects.isDead;
  }

  end(): void {
    this.#effects.end();
    this.#effects.remove();
  }

  /** A warehouse that is made under way costs a quarter of a second. */
  begin = (): Promise<void> => placeState(this.#parts.folder, this.tables);

  /** What becomes of the next run. */
  plan(): RunPlan {
    const { faults, random } = this.#parts;
    const somewhere = () => random.between(1, this.#usual);
    if (faults.draw('stopped')) return { stopAt: random.between(1, 60) };
    if (faults.draw('crash')) return { crashAt: somewhere() };
    if (faults.draw('diskFull')) return { failAt: somewhere(), failures: manyFailures, fullDisk: true };
    if (faults.draw('failedWrite'))
      return {
        failAt: somewhere(),
        failures: random.between(1, 3),
        fullDisk: random.chance(0.5),
        failsAfter: random.chance(0.3),
      };
    return {};
  }

  /** The services may be out of reach for hours, and the machine's clock be set. */
  suffer(): void {
    const { faults, random, clock, network } = this.#parts;
    if (faults.hit('outage')) network.outageUntil = clock.true + random.between(1, 300) * 60_000;
    if (faults.hit('refusedKey'))
      network.refusedKey = { until: clock.true + random.between(1, 300) * 1000, status: random.pick([401, 402, 403]) };
    if (faults.hit('clockJump')) {
      clock.skew = random.pick([48, -48, 0]) * hourMs;
      network.forgetPauses(0);
    }
  }

  /** One run of the program, however it ends; what is left is looked at. Gives its report; nothing where it was killed or refused. */
  async run(command: keyof typeof commands, plan: RunPlan = {}): Promise<RunReport | undefined> {
    const { clock, network, faults, wrong, beside, publishes } = this.#parts;
    this.runs++;
    const begun = clock.true;
    const stop = new AbortController();
    const settings = this.#parts.settings();
    if (plan.stopAt !== undefined) clock.after(plan.stopAt * 500, () => stop.abort('SIGTERM'));
    network.requests = 0;
    this.#effects.begin(this.#parts.folder, { ...plan, ...(command === 'run' && beside && { beside }) });
    let report: RunReport | undefined;
    let thrown: unknown;
    try {
      report = await runPhases({
        settings,
        catalogue: this.#parts.catalogue,
        ...(publishes && { actions }),
        phases: commands[command],
        read: plan.read,
        rebuild: command === 'rebuild',
        signal: stop.signal,
        log: { debug() {}, warn() {} },
        outside: { clock, random: () => this.#parts.random.next(), connect: network.connect },
      });
    } catch (error) {
      thrown = error;
    }
    const isDead = this.#effects.isDead;
    const [effects, failed] = [this.#effects.count, this.#effects.failed];
    const leftOpen = this.#effects.end();
    if (leftOpen.length > 0) throw wrong(`the run left files open: ${leftOpen.join(', ')}`);
    if (isDead) faults.count('crash');
    if (failed > 0) faults.count(plan.failures === manyFailures ? 'diskFull' : 'failedWrite');
    if (stop.signal.aborted) faults.count('stopped');
    this.requests += network.requests;
    if (isDead) await this.#leave();
    await this.#bury();
    // Nor can a pause be kept on a disk that takes nothing.
    if (failed > 0) network.forgetPauses(begun);
    if (isDead) network.forgetPauses(clock.true);
    else if (thrown !== undefined && !(thrown instanceof FirnError))
      throw wrong('the run ended with an error that is none of its own', thrown);
    else if (!plan.failAt && !plan.stopAt && effects > 20) this.#usual = effects;
    const took = clock.true - begun;
    this.#parts.tell?.(
      `${new Date(begun).toISOString()} ${command} ${JSON.stringify(plan)}: ${isDead ? 'killed' : (report?.exitCode ?? String(thrown))}, ${effects} effects, ${failed} failed, ${network.requests} requests, ${Math.round(took / 1000)} s${this.#parts.about?.() ?? ''}${report ? incidents(report) : ''}`,
    );
    if (took > 12 * hourMs) throw wrong(`a run took ${took / hourMs} hours`);
    if (network.offences[0]) throw wrong(network.offences.join('; '));
    if (report?.published) {
      this.published++;
      const others = report.heldBack.length > 0 ? [] : await this.look(unpublished);
      if (others.length > 0) throw wrong(`readers see other rows than there are: ${others.join('; ')}`);
    }
    if (command === 'run') this.#isPublished = !isDead && [0, 3, 4].includes(report?.exitCode ?? 1);
    await this.#checkStatus(isDead, report, failed);
    return isDead ? undefined : report;
  }

  /** Nothing goes wrong any more: gives when all that there is has been read. */
  async settle(): Promise<void> {
    const { faults, clock, wrong } = this.#parts;
    faults.areOn = false;
    clock.skew = 0;
    // The longest pause that a server can ask for is over.
    clock.pass(26 * hourMs);
    for (let left = 9; ; left--) {
      const last = await this.run('sync');
      const late = last?.partitions.find(({ outcome, behind }) => outcome !== 'done' || behind);
      // What an audit held back is given free by the next build.
      const isFine = last && ([0, 4].includes(last.exitCode) || (last.exitCode === 3 && last.heldBack.length > 0));
      if (isFine && !late) return;
      if (left === 0 || (last && !late))
        throw wrong(
          `nothing is wrong any more, and a run still ends with ${last?.exitCode}: ${late ? `${late.stream} (${late.partition}): ${late.message ?? `${late.behind} behind`}` : JSON.stringify(last?.problems)}`,
        );
      clock.pass(hourMs);
    }
  }

  /** All is read: a run brings nothing, and one that publishes has nothing to say against it. */
  async confirm(): Promise<void> {
    const { clock, wrong, publishes } = this.#parts;
    clock.pass(hourMs);
    // The first read of a day brings its values.
    if (clock.now() % (24 * hourMs) < hourMs) await this.run('sync');
    const again = await this.run('sync');
    const news = again?.partitions.find(({ rows }) => rows > 0);
    if (news) throw wrong(`nothing is new, and ${news.stream} (${news.partition}) brings ${news.rows} rows`);
    if (!publishes) return;
    const report = await this.run('run');
    if (!report?.published || ![0, 4].includes(report.exitCode))
      throw wrong(
        `a run without faults ends with ${report?.exitCode}, or publishes nothing: ${JSON.stringify(report?.problems)}`,
      );
    const alarm = report.audits.find(({ failedRows }) => failedRows > 0);
    if (alarm) throw wrong(`nothing is wrong any more, and ${alarm.name} fails: ${alarm.example}`);
  }

  /** Lets somebody look at the state while no run goes on. */
  async look<T>(use: (state: Warehouse) => Promise<T>): Promise<T> {
    const state = await openWarehouse({ folder: this.#parts.folder, tables: this.tables });
    try {
      return await use(state);
    } finally {
      state.close();
    }
  }

  get #left(): string {
    return `${this.#parts.folder}.left`;
  }

  /** What lies on the disk is what the killed process left. */
  async #leave(): Promise<void> {
    await rm(this.#parts.folder, { recursive: true, force: true });
    if (this.#isThere) await rename(this.#left, this.#parts.folder);
  }

  /** The process is gone: its number is nobody's any more. */
  async #bury(): Promise<void> {
    const state = join(this.#parts.folder, '.state');
    const runs = join(state, 'runs');
    const files = [join(state, 'run.json'), ...(await readdir(runs).catch(() => [])).map((name) => join(runs, name))];
    for (const file of files) {
      const text = await readFile(file, 'utf8').catch(() => undefined);
      if (text !== undefined) await writeFile(file, text.replaceAll(`"pid":${process.pid},`, `"pid":${nobody},`));
    }
    // Hours pass until the next run, which the system's clock does not know.
    await utimes(join(state, 'holder.json'), 0, 0).catch(() => {});
  }

  /** `status` as it is now, held against what is known of the run. */
  async #checkStatus(isDead: boolean, report: RunReport | undefined, failedWrites: number): Promise<void> {
    const configured = { settings: this.#parts.settings(), registry: { sources, catalogue, actions } };
    const context = await reportContext(configured);
    // Killed before it could say that it is there.
    if (context.runs.length === 0) return;
    const data = await withPublished(configured, async (reader, known) =>
      readStatus(reader, await readRelations(reader), { ...known, now: this.#parts.clock.now() }),
    );
    const health = assessHealth(data);
    const told = data.runs[0];
    if (data.running) throw this.#parts.wrong('status says that a run goes on');
    // A disk that is full cannot keep how a run ended; nor whether it began.
    if (failedWrites > 0) return;
    if (isDead) {
      if (told?.exitCode === null && health.exitCode === 0)
        throw this.#parts.wrong('status finds nothing after a run was killed');
      return;
    }
    if (!report) return;
    if (told?.runId !== report.runId || told.exitCode !== report.exitCode)
      throw this.#parts.wrong(
        `status tells of a run that ended with ${told?.exitCode}, it ended with ${report.exitCode}`,
      );
    if ((data.unresolved.records ?? 0) !== (report.unresolved?.records ?? 0))
      throw this.#parts.wrong('status counts other records in quarantine than there are');
    // A sync does not make up for a run that did not publish.
    const isKnown = (kind: string) =>
      kind === 'stale' || kind === 'mismatch' || (kind === 'failed' && !this.#isPublished);
    if (report.isWhole && report.exitCode === 0 && !health.findings.every(({ kind }) => isKnown(kind)))
      throw this.#parts.wrong(
        `status finds something after a run that ended with 0: ${health.findings.find(({ kind }) => !isKnown(kind))?.sentence}`,
      );
    if (![0, 130, 143].includes(report.exitCode) && health.exitCode === 0)
      throw this.#parts.wrong(`status finds nothing after a run that ended with ${report.exitCode}`);
  }
}

/** What a report says besides its exit code. */
const incidents = ({ partitions, problems, heldBack, audits, dropped }: RunReport): string =>
  [
    ...partitions
      .filter(({ outcome }) => outcome !== 'done')
      .map(({ stream, partition, outcome, message }) => `${stream} (${partition}) ${outcome} ${message ?? ''}`),
    ...problems.map(({ message }) => message),
    ...[...new Set(heldBack.map(({ audit }) => audit))].map((audit) => `${audit} holds relations back`),
    ...audits.filter(({ failedRows }) => failedRows > 0).map(({ name, example }) => `${name} fails: ${example}`),
    ...dropped.map(({ table, rows }) => `${rows} rows of ${table} dropped`),
  ]
    .map((line) => `\n    ${line}`)
    .join('');
