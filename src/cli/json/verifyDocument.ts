import { z } from 'zod';
import type { KnownGap } from '../../core/knownGap.ts';
import type { LakeVerdict } from '../../publish/verify/verifyLake.ts';
import { type Link, links } from '../../run/evidence/evidenceLinks.ts';
import type { ChainEvidence, EvidenceReport } from '../../run/evidence/proveEvidence.ts';
import type { SourceFinding, SourceReport } from '../../run/evidence/verifyAgainstSource.ts';
import { count, measure, objectOf } from './shapes.ts';

/** One verdict over the files of a version. */
export const lakeDocument = objectOf<LakeVerdict>()({
  ok: z.boolean(),
  version: count,
  files: count,
  bytes: count,
  rows: count,
  failures: z.array(z.object({ check: z.string(), item: z.string(), message: z.string() })),
  knownGaps: z.array(objectOf<KnownGap>()({ stream: z.string(), partition: z.string(), from: count, to: count })),
});

const verdicts = z.object({
  proven: count.optional(),
  broken: count.optional(),
  not_covered: count.optional(),
  not_applicable: count.optional(),
});

const chain = objectOf<ChainEvidence>()({
  chainId: z.string(),
  name: z.string(),
  blocks: count,
  first: count,
  last: count,
  links: z.object(Object.fromEntries(links.map((link) => [link, verdicts])) as Record<Link, typeof verdicts>),
  brokenBlocks: count,
  blocksPerSecond: measure,
});

/** What `verify --evidence` proved. */
export const evidenceDocument = objectOf<EvidenceReport>()({
  chains: z.array(chain),
  broken: z.array(z.object({ chainId: z.string(), number: count, hash: z.string(), what: z.string() })),
  ok: z.boolean(),
});

/** What the node said to `verify --against-source`. */
export const sourceDocument = objectOf<SourceReport>()({
  checked: count,
  findings: z.array(
    objectOf<SourceFinding>()({ indexName: z.string(), index: count, id: z.string(), what: z.string() }),
  ),
});
