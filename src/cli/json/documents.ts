import { z } from 'zod';
import { clusterDocument, migrateDocument, workerDocument } from './clusterDocuments.ts';
import { explanationDocument } from './explanationDocument.ts';
import { exportDocument } from './exportDocument.ts';
import {
  completionDocument,
  dbtProjectDocument,
  demoDocument,
  devnetDocument,
  dictionaryDocument,
  errorDocument,
  queryDocument,
  reportDocument,
  scheduleDocument,
  serveDocument,
  signDocument,
  streamsDocument,
} from './otherDocuments.ts';
import { planDocument } from './planDocument.ts';
import { doctorDocument, initDocument } from './probeDocuments.ts';
import { runDocument } from './runDocument.ts';
import {
  acceptDocument,
  checkpointsDocument,
  dropDocument,
  quarantineDocument,
  reopenDocument,
  replayDocument,
  resetDocument,
} from './stateDocuments.ts';
import { statusDocument } from './statusDocument.ts';
import { evidenceDocument, lakeDocument, sourceDocument } from './verifyDocument.ts';

/** What each command prints with --json, by the words that call it; `error` is printed in place of any of them. */
export const documents: Readonly<Record<string, z.ZodType>> = {
  error: errorDocument,
  init: initDocument,
  doctor: doctorDocument,
  streams: streamsDocument,
  plan: planDocument,
  run: runDocument,
  sync: runDocument,
  build: runDocument,
  publish: runDocument,
  reconcile: z.union([runDocument, explanationDocument]),
  backfill: runDocument,
  'export start': exportDocument,
  'export status': exportDocument,
  'export wait': exportDocument,
  'export download': exportDocument,
  'sign message': signDocument,
  'sign tx': signDocument,
  query: queryDocument,
  status: statusDocument,
  verify: z.union([lakeDocument, evidenceDocument, sourceDocument]),
  'state list': checkpointsDocument,
  'state reset': resetDocument,
  'state drop': dropDocument,
  'quarantine list': quarantineDocument,
  'quarantine replay': replayDocument,
  'quarantine accept': acceptDocument,
  'quarantine reopen': reopenDocument,
  dictionary: dictionaryDocument,
  'dbt-project': dbtProjectDocument,
  report: reportDocument,
  serve: serveDocument,
  worker: workerDocument,
  migrate: migrateDocument,
  schedule: z.union([scheduleDocument, runDocument]),
  completion: completionDocument,
  devnet: devnetDocument,
  'cluster up': clusterDocument,
  'cluster down': clusterDocument,
  'cluster status': clusterDocument,
  demo: demoDocument,
};
