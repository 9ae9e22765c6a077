/** The number that a word stands for, which is one of these names, whole or its first three letters: that of the first, and so on; -1 for any other. */
const numberedFrom = (first: number, names: string) => (word: string) => {
  const at = names.split(' ').findIndex((name) => [name, name.slice(0, 3)].includes(word.toLowerCase()));
  return at < 0 ? -1 : first + at;
};

/** The fields of a cron expression: their lowest and highest number, and the names that stand for numbers. */
const fields = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12, numberedFrom(1, 'january february march april may june july august september october november december')],
  [0, 7, numberedFrom(0, 'sunday monday tuesday wednesday thursday friday saturday')],
] as const;

/**
 * Whether a text is a cron expression of five fields: six, with seconds, mean something else to the cron for which it is printed. A range that ends
 * before it begins goes round for some, and neither cron nor systemd takes it.
 */
export function isCronExpression(text: string): boolean {
  const given = text.trim().split(/\s+/);
  return (
    given.length === fields.length &&
    fields.every(([lowest, highest, named], i) => {
      const numbered = (value: string) => (/^\d+$/.test(value) ? Number(value) : (named?.(value) ?? -1));
      const isRange = ([from = '', to = from]: readonly string[]) =>
        lowest <= numbered(from) && numbered(from) <= numbered(to) && numbered(to) <= highest;
      return (given[i] ?? '').split(',').every((item) => {
        const [range = '', step, ...more] = item.split('/');
        const ends = range.split('-');
        const isStep = step === undefined || (/^[1-9]\d*$/.test(step) && (range === '*' || ends.length === 2));
        return more.length === 0 && isStep && (range === '*' || (ends.length <= 2 && isRange(ends)));
      });
    })
  );
}

/** A cron expression as ones of which every field must hold: where days of the month and of the week are named, cron runs on either. */
export function eitherDay(expression: string): string[] {
  const [minute, hour, day = '*', month, weekday = '*'] = expression.trim().split(/\s+/);
  if (day.startsWith('*') || weekday.startsWith('*')) return [expression];
  return [[minute, hour, day, month, '*'].join(' '), [minute, hour, '*', month, weekday].join(' ')];
}
