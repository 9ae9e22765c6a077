import { groupBy } from '../../core/groupBy.ts';
import type { Unresolved } from '../../core/unresolved.ts';
import type { AuditState } from '../reportData.ts';
import { plural } from '../texts/numberText.ts';
import { momentText } from '../texts/timeText.ts';

/** Whether an audit found rows when it last looked, or could not look. */
export const auditFails = ({ failedRows, couldNotLook }: AuditState): boolean => failedRows > 0 || couldNotLook;

/** What one audit, or one model that cannot be built, keeps at its last good version. */
export interface HeldBackState {
  readonly audit: string;
  readonly since: number;
  readonly reason: string;
  readonly relations: readonly string[];
}

/** What is held back, by what holds it. */
export const heldBackBy = ({ heldBack }: Unresolved): HeldBackState[] =>
  [...groupBy(heldBack, ({ audit }) => audit)].map(([audit, rows]) => ({
    audit,
    since: Math.min(...rows.map(({ since }) => since)),
    reason: rows.at(-1)?.reason ?? '',
    relations: rows.map(({ relation }) => relation).sort(),
  }));

/** What is held back by one audit or model, since when and why, and what to read about it. */
export function heldBackText({ audit, since, reason, relations }: HeldBackState): string {
  const what = `${plural(relations.length, 'relation')} (${relationNames(relations)}) ${relations.length === 1 ? 'is' : 'are'} held back since ${momentText(since)} UTC by ${audit}: ${reason}`;
  return `${what.replace(/\.?$/, '.')} docs/troubleshooting.md says what helps ("Exit code 3 stays").`;
}

/** The first three of the relations, and how many more there are: all of them fill a screen. */
export function relationNames(relations: readonly string[]): string {
  const shown = relations.slice(0, 3).join(', ');
  return relations.length > 3 ? `${shown} and ${relations.length - 3} more` : shown;
}
