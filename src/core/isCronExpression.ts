/** Whether a word is one of these names, whole or its first three letters. */
const oneOf = (names: string) => (word: string) =>
  names.split(' ').some((name) => [name, name.slice(0, 3)].includes(word.toLowerCase()));

/** The fields of a cron expression: their lowest and highest number, and the names that stand for numbers. */
const fields = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12, oneOf('january february march april may june july august september october november december')],
  [0, 7, oneOf('sunday monday tuesday wednesday thursday friday saturday')],
] as const;

/** Whether a text is a cron expression of five fields: six, with seconds, mean something else to the cron for which it is printed. */
export function isCronExpression(text: string): boolean {
  const given = text.trim().split(/\s+/);
  return (
    given.length === fields.length &&
    fields.every(([lowest, highest, isName], i) => {
      const isValue = (value: string) =>
        /^\d+$/.test(value) ? Number(value) >= lowest && Number(value) <= highest : isName?.(value) === true;
      return (given[i] ?? '').split(',').every((item) => {
        const [range = '', step, ...more] = item.split('/');
        const ends = range.split('-');
        const isStep = step === undefined || (/^[1-9]\d*$/.test(step) && (range === '*' || ends.length === 2));
        return more.length === 0 && isStep && (range === '*' || (ends.length <= 2 && ends.every(isValue)));
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
