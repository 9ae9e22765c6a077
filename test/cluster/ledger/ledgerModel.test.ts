/** @module-tag long */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Lease, Ledger } from '../../../src/cluster/contract.ts';
import type { Control } from '../../../src/cluster/ledger/control.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';
import { ModelLedger, noNotes } from '../modelLedger.ts';
import { freshDatabase } from '../postgres.ts';

let control: Control;
let ledger: Ledger;
beforeAll(async () => {
  control = await openControl(await freshDatabase());
  ledger = await openLedger(control);
});
afterAll(() => ledger.close());

const first = 100;
const forever = 3_600_000;
let cases = 0;

/** The real ledger, and every lease that it ever gave in this case: holders of old ones are zombies. */
interface Real {
  readonly of: { readonly stream: string; readonly partition: string };
  readonly leases: Lease[];
}
type Command = fc.AsyncCommand<ModelLedger, Real>;

const pick = ({ leases }: Real, which: number) => leases[which % leases.length];

const lease: Command = {
  check: () => true,
  async run(model, real) {
    const got = await ledger.lease({ owner: 'one', ms: forever, partitions: [real.of] });
    const free = [...model.parts.values()].filter((part) => model.isFree(part));
    if (!got) return expect(free).toEqual([]);
    const part = model.partOf(got);
    expect(part && free.includes(part)).toBe(true);
    if (!part) return;
    if (got.range)
      expect(got).toMatchObject({
        range: { first: part.first, last: part.last },
        cursor: part.next && { next: part.next },
      });
    expect(got.epoch).toBeGreaterThan(real.leases.findLast((old) => old.part === got.part)?.epoch ?? 0);
    part.holder = got;
    part.isExpired = false;
    real.leases.push(got);
  },
  toString: () => 'lease',
};

const withLease = (name: string, run: (held: Lease, model: ModelLedger, real: Real) => Promise<void>) =>
  fc.nat(20).map(
    (which): Command => ({
      check: () => true,
      async run(model, real) {
        const held = pick(real, which);
        if (held) await run(held, model, real);
      },
      toString: () => `${name} by lease ${which}`,
    }),
  );

/** The cursor as a holder knows it from its own commits. */
const believed = new WeakMap<Lease, number>();
const said = (counts: boolean) => (counts ? 'ok' : 'fenced');

const commands = [
  fc.constant(lease),
  withLease('expire', async ({ part, epoch }, model, real) => {
    await control.query(`UPDATE firn.part SET lease_until = now() - interval '1 second' WHERE id = $1 AND epoch = $2`, [
      part,
      epoch,
    ]);
    const known = model.partOf(real.leases.find((old) => old.part === part) as Lease);
    if (known?.holder?.epoch === epoch) known.isExpired = true;
  }),
  withLease('renew', async (held, model) => {
    expect(await ledger.renew(held, forever)).toBe(said(model.counts(held)));
    const part = model.partOf(held);
    if (part && model.counts(held)) part.isExpired = false;
  }),
  withLease('release', async (held, model) => {
    expect(await ledger.release(held, { dueInMs: 0 })).toBe(said(model.counts(held)));
    const part = model.partOf(held);
    if (part && model.counts(held)) part.holder = undefined;
  }),
  fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 1, max: 5 })).chain(([more, size]) =>
    withLease(`divide ${more} by ${size}`, async (held, model) => {
      if (held.range) return;
      const last = (model.dividedTo ?? first) - 1 + more;
      expect(await ledger.divide(held, { first, last, size })).toBe(said(model.counts(held)));
      if (model.counts(held)) model.divide(last, first, size);
    }),
  ),
  // A zombie believes in the cursor that it was given, and in its own batches since.
  fc.integer({ min: 1, max: 4 }).chain((count) =>
    withLease(`commit ${count}`, async (held, model, real) => {
      const part = model.partOf(held);
      if (!held.range || !part) return;
      const own = believed.get(held) ?? (held.cursor as { next: number } | null)?.next ?? null;
      const to = Math.min((own ?? held.range.first) + count, held.range.last + 1);
      const counts = model.counts(held) && part.next === own;
      const id = await ledger.nextBatch();
      const file = {
        table: real.of.stream,
        uri: `${real.of.stream}/${id}`,
        rows: to - (own ?? held.range.first),
        bytes: 1,
        sha256: '',
      };
      const commit = { id, from: own === null ? null : { next: own }, to: { next: to }, files: [file], notes: noNotes };
      expect(await ledger.commit(held, commit)).toBe(said(counts));
      if (!counts) return;
      believed.set(held, to);
      model.commit(part, to);
    }),
  ),
];

test('hands out, fences and joins as the model says, whatever workers and zombies do', async () => {
  let committed = 0;
  let parts = 0;
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { size: '+1' }), async (all) => {
      const of = { stream: `s${cases++}`, partition: 'all' };
      await ledger.enlist([of, of]);
      const model = new ModelLedger();
      await fc.asyncModelRun(() => ({ model, real: { of, leases: [] } }), all);
      const [at] = await control.query<{ joined_to: string | null }>(
        'SELECT joined_to FROM firn.partition WHERE stream = $1',
        [of.stream],
      );
      expect(at?.joined_to ?? undefined).toBe(model.joinedTo(first)?.toString());
      const pending = await ledger.pending(of.stream, 1000);
      const rows = [...model.rows.values()];
      expect(pending.reduce((sum, batch) => sum + batch.rows, 0)).toBe(rows.length);
      expect(new Set(rows)).toEqual(new Set(rows.length > 0 ? [1] : []));
      committed += pending.length;
      parts += model.parts.size;
    }),
    { numRuns: fuzzRuns(60) },
  );
  expect(committed).toBeGreaterThan(20);
  expect(parts).toBeGreaterThan(60);
});
