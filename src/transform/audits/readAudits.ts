import { sqlFolderReader } from '../sqlFolderReader.ts';
import { parseAudit } from './parseAudit.ts';

/** Every audit of a folder; firn's own where none is named. */
export const readAudits = sqlFolderReader('audits', parseAudit);
