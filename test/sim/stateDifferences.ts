import { identifier } from '../../src/core/text/sqlText.ts';
import { askBoth, isCompared } from './twoStates.ts';

/**
 * Rows, as they are now, that only one of two states has: a few of each relation, without what firn itself notes of them.
 *
 * @param tested path of a database, as is `right`
 */
export function stateDifferences(tested: string, right: string, relations: readonly string[]): Promise<string[]> {
  return askBoth(tested, right, async (query) => {
    const found: string[] = [];
    for (const relation of relations) {
      const described = await query(`DESCRIBE tested.${relation}`);
      const names = described.map((column) => String(column['column_name']));
      const own = names.filter((name) => isCompared(relation, name)).map(identifier);
      const now = names.includes('_valid_to') ? 'WHERE _valid_to IS NULL' : '';
      const rows = (state: string) => `SELECT ${own.join(', ')} FROM ${state}.${relation} ${now}`;
      for (const [side, one, other] of [
        ['too many', 'tested', '"right"'],
        ['missing', '"right"', 'tested'],
      ] as const)
        for (const row of await query(`${rows(one)} EXCEPT ALL ${rows(other)} LIMIT 3`))
          found.push(`${relation}, ${side}: ${JSON.stringify(row)}`);
    }
    return found;
  });
}
