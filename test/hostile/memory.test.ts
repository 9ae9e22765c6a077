/** @module-tag long */
import { expect, test } from 'vitest';
import { hostileAnswers } from './hostileAnswers.ts';
import { readAlone } from './readAlone.ts';

// FIRN_HOSTILE (npm run proof) reads each answer in a process of its own, and all of them.
const isLong = process.env['FIRN_HOSTILE'] !== undefined;
const { 'an honest page': _, ...hostile } = hostileAnswers;
const names = Object.keys(hostile).filter((name) => hostile[name]?.isShort || isLong);
// The peak is that of a whole process: what is read before an answer only makes the bound tighter for it. For what is taken, too tight: it fills
// the heap beside what V8 has not collected yet.
const alone = names.filter((name) => isLong || hostile[name]?.isTaken);
const groups = [...alone.map((name) => [name]), names.filter((name) => !alone.includes(name))].filter(
  (group) => group.length > 0,
);

/** MiB above a process that has read an honest page. */
const most = 256;

test.each(groups.map((group) => [group.join(', '), group] as const))(
  'no more than 256 MiB for %s',
  async (_, group) => {
    const [idle, ...readings] = await readAlone('an honest page', ...group);
    expect(idle).toMatchObject({ code: null, rows: 100 });
    expect(readings.map(({ name }) => name)).toEqual(group);
    for (const { name, code, peak } of readings) {
      expect(code, name).toBe(hostileAnswers[name]?.isTaken ? null : 'contract');
      expect(peak - (idle?.peak ?? 0), name).toBeLessThan(most);
    }
  },
);
