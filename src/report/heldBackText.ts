import type { Unresolved } from '../core/unresolved.ts';
import { plural } from './numberText.ts';
import type { AuditState } from './reportData.ts';
import { momentText } from './timeText.ts';

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
export function heldBackBy({ heldBack }: Unresolved): HeldBackState[] {
  const audits = new Map<string, HeldBackState & { readonly relations: string[] }>();
  for (const { audit, relation, since, reason } of heldBack) {
    const known = audits.get(audit);
    const relations = known?.relations ?? [];
    relations.push(relation);
    audits.set(audit, { audit, since: Math.min(since, known?.since ?? since), reason, relations });
  }
  for (const { relations } of audits.values()) relations.sort();
  return [...audits.values()];
}

/** What is held back by one audit or model, since when and why. */
export function heldBackText({ audit, since, reason, relations }: HeldBackState): string {
  const shown = relations.slice(0, 3).join(', ');
  const names = relations.length > 3 ? `${shown} and ${relations.length - 3} more` : shown;
  return `${plural(relations.length, 'relation')} (${names}) ${relations.length === 1 ? 'is' : 'are'} held back since ${momentText(since)} UTC by ${audit}: ${reason}`;
}
