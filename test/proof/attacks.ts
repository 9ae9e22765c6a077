import { hostileAnswers } from '../hostile/hostileAnswers.ts';
import { hostileFiles } from '../hostile/hostileFiles.ts';
import { readAlone } from '../hostile/readAlone.ts';
import type { Proof } from './proof.ts';

const honest = { answer: 'an honest page', file: 'an honest file' };
const attacking = [...Object.keys(hostileAnswers), ...Object.keys(hostileFiles)].filter(
  (name) => name !== honest.answer && name !== honest.file,
);

/** MiB above a process that has read what is honest. */
const most = 256;

/** What each attack costs beside what is honest. */
export const attacks: Proof = {
  name: 'attacks',
  claim: `answers and files made to fill a machine, each read by a process of its own: refused with a sentence, or taken, with at most ${most} MiB more than what is honest`,
  table: {
    heads: ['attack', 'outcome', 'MiB above what is honest', 'CPU, times what is honest'],
    by: 'MiB above what is honest',
  },
  prepare: async () => ({
    cases: attacking.length,
    async run(number) {
      const name = attacking[number - 1];
      if (name === undefined) throw new Error(`There are ${attacking.length} cases.`);
      const like = name in hostileAnswers ? honest.answer : honest.file;
      // The first one pays for what every process begins with.
      const [, idle, reading] = await readAlone(like, like, name);
      if (!idle || !reading) throw new Error(`${name}: the process that read it ended.`);
      const isTaken = (hostileAnswers[name] ?? hostileFiles[name])?.isTaken ?? false;
      if (reading.code !== (isTaken ? null : 'contract'))
        throw new Error(`${name}: ${reading.code} ${reading.message}`);
      const above = reading.peak - idle.peak;
      if (above >= most) throw new Error(`${name}: ${Math.round(above)} MiB above what is honest.`);
      const outcome = isTaken ? `taken: ${reading.rows} rows, ${reading.quarantined} quarantined` : 'refused';
      return [name, outcome, above.toFixed(0), (reading.cpu / idle.cpu).toFixed(1)];
    },
  }),
};
