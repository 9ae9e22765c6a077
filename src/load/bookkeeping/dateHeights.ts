import { createDateBracket, type DateBracket, type DateBrackets } from '../../core/heights/dateBracket.ts';
import type { Rows } from '../../core/rows/rows.ts';
import { type Declared, timeOf } from '../../core/stream/stream.ts';
import type { Statements } from '../database/transaction.ts';
import type { Warehouse } from '../state/warehouse.ts';

/** What is known of the heights at which dates begin: found once per chain, narrowed by every row, kept in `firn.date_height`. */
export interface DateHeights {
  of(chain: string): DateBrackets;
  /** Lets rows of a stream that declares a height and a time narrow what is known. */
  note(chain: string, stream: Declared, rows: Rows, first?: number): void;
  /** Forgets what is known of a chain: its source told of another one. */
  forget(chain: string): void;
  /** Makes durable what was learned, or forgotten, since the last time. */
  save(): Promise<void>;
}

interface Kept {
  readonly chain: string;
  readonly bracket: DateBracket;
  /** What the warehouse holds of it. */
  saved: string;
}

type Saved = Record<'date' | 'older_height' | 'older_time' | 'height' | 'time', bigint | null> & { chain: string };

export async function openDateHeights(warehouse: Warehouse): Promise<DateHeights> {
  const rows = await warehouse.query<Saved>(
    `SELECT chain, epoch_ms("date") // 1000 AS "date", older_height, epoch_ms(older_time) // 1000 AS older_time,
       height, epoch_ms("time") // 1000 AS "time" FROM firn.date_height`,
  );
  const kept = new Map<string, Kept>();
  const forgotten = new Set<string>();
  const keep = (chain: string, date: number, known?: Pick<DateBracket, 'older' | 'from'>): DateBracket => {
    const bracket = createDateBracket(date, known);
    kept.set(`${chain} ${date}`, { chain, bracket, saved: textOf(bracket) });
    return bracket;
  };
  for (const { chain, date, older_height, older_time, height, time } of rows)
    keep(chain, Number(date), { older: block(older_height, older_time), from: block(height, time) });
  return {
    of: (chain) => (date) => kept.get(`${chain} ${date}`)?.bracket ?? keep(chain, date),
    note(chain, stream, rows, first = 0) {
      const brackets = [...kept.values()].filter((entry) => entry.chain === chain);
      const time = timeOf(stream);
      if (brackets.length === 0 || time === undefined || stream.height === undefined) return;
      const [height, at] = [rows.column(stream.height), rows.column(time)];
      if (!height || !at) return;
      for (let row = first; row < rows.length; row++) {
        if (!height.isValid(row) || !at.isValid(row)) continue;
        const seen = { height: height.numberAt(row), time: at.numberAt(row) / 1e6 };
        for (const { bracket } of brackets) bracket.note(seen);
      }
    },
    forget(chain) {
      for (const [name, entry] of kept) if (entry.chain === chain) kept.delete(name);
      forgotten.add(chain);
    },
    async save() {
      const changed = [...kept.values()].filter(({ bracket, saved }) => textOf(bracket) !== saved);
      const gone = [...forgotten];
      if (changed.length === 0 && gone.length === 0) return;
      await warehouse.transaction(async (tx) => {
        for (const chain of gone) await tx.run('DELETE FROM firn.date_height WHERE chain = $1', [chain]);
        for (const { chain, bracket } of changed) await write(tx, chain, bracket);
      });
      for (const entry of changed) entry.saved = textOf(entry.bracket);
      for (const chain of gone) forgotten.delete(chain);
    },
  };
}

const textOf = ({ older, from }: DateBracket) => JSON.stringify([older, from]);

const block = (height: bigint | null, time: bigint | null) =>
  height === null || time === null ? null : { height: Number(height), time: Number(time) };

async function write(tx: Statements, chain: string, { date, older, from }: DateBracket): Promise<void> {
  const at = (seconds: number | undefined) => (seconds === undefined ? 'NULL' : `make_timestamp(${seconds * 1e6})`);
  await tx.run(`DELETE FROM firn.date_height WHERE chain = $1 AND "date" = ${at(date)}`, [chain]);
  await tx.run(
    `INSERT INTO firn.date_height VALUES ($1, ${at(date)}, ${older?.height ?? 'NULL'}, ${at(older?.time)}, ${from?.height ?? 'NULL'}, ${at(from?.time)})`,
    [chain],
  );
}
