/** The fields of a cron expression: their lowest and highest number. */
const fields = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;
const name = /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)[a-z]*$/i;

/** Whether a text is a cron expression of five fields: six, with seconds, mean something else to the cron for which it is printed. */
export function isCronExpression(text: string): boolean {
  const given = text.trim().split(/\s+/);
  return (
    given.length === fields.length &&
    fields.every(([lowest, highest], i) => {
      const isValue = (value: string) =>
        /^\d+$/.test(value) ? Number(value) >= lowest && Number(value) <= highest : i >= 3 && name.test(value);
      return (given[i] ?? '').split(',').every((item) => {
        const [range = '', step = '1', ...more] = item.split('/');
        const ends = range.split('-');
        return (
          more.length === 0 && /^[1-9]\d*$/.test(step) && (range === '*' || (ends.length <= 2 && ends.every(isValue)))
        );
      });
    })
  );
}
