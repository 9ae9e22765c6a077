import { FirnError } from '../../core/firnError.ts';
import type { AuditResult } from './runAudits.ts';

/**
 * The relations that an audit names, with its patterns resolved.
 *
 * @param known every table and view of the warehouse, and every model
 * @throws FirnError `failed` for a name that nothing has
 */
export function protectedRelations(
  { file, protects }: Pick<AuditResult, 'file' | 'protects'>,
  known: Iterable<string>,
): string[] {
  const names = [...known];
  return protects.flatMap((pattern) => {
    const begin = pattern.endsWith('*') ? pattern.slice(0, -1) : undefined;
    const found = names.filter((name) => (begin === undefined ? name === pattern : name.startsWith(begin)));
    if (found.length > 0) return found;
    throw new FirnError('failed', `${file}: the header says that it protects ${pattern}, which is not a relation.`);
  });
}
