import { plural } from './numberText.ts';
import type { AuditState, HeldBackState } from './reportData.ts';
import { momentText } from './timeText.ts';

/** Whether an audit found rows when it last looked, or could not look. */
export const auditFails = ({ failedRows, couldNotLook }: AuditState): boolean => failedRows > 0 || couldNotLook;

/** What is held back by one audit or model, since when and why. */
export function heldBackText({ audit, since, reason, relations }: HeldBackState): string {
  const shown = relations.slice(0, 3).join(', ');
  const names = relations.length > 3 ? `${shown} and ${relations.length - 3} more` : shown;
  return `${plural(relations.length, 'relation')} (${names}) ${relations.length === 1 ? 'is' : 'are'} held back at the last good version since ${momentText(since)} UTC by ${audit}: ${reason}`;
}
