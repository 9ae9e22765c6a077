import { z } from 'zod';
import type { DoctorCheck } from '../../run/probe/doctorCheck.ts';
import type { Finding } from '../../run/probe/finding.ts';
import type { Allowance } from '../init/metricsAllowed.ts';
import type { ChosenStream } from '../init/starterStreams.ts';
import { count, objectOf } from './shapes.ts';

/** What `doctor` found. */
export const doctorDocument = z.object({
  exitCode: count,
  checks: z.array(
    objectOf<DoctorCheck>()({
      name: z.string(),
      state: z.enum(['ok', 'warn', 'fail']),
      sentence: z.string(),
      exitCode: count,
    }),
  ),
});

const finding = objectOf<Omit<Finding, 'code' | 'isForeign'>>()({
  source: z.string(),
  about: z.string(),
  state: z.enum(['ok', 'missing', 'refused', 'unreachable']),
  sentence: z.string(),
});

const stream = objectOf<ChosenStream>()({
  id: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  state: z.enum(['offered', 'unchecked', 'left out']),
  reason: z.string(),
});

/** What `init` wrote, and why. */
export const initDocument = z.object({
  config: z.string(),
  schema: z.string(),
  /** Folder of own streams, models and audits that was written; null where none was asked for. */
  extend: z.string().nullable(),
  /** Variables that the configuration takes secrets from, in place of what was given. */
  variables: z.array(z.string()),
  /** The network that was assumed, since the node could not be asked; null where it is known. */
  assumed: z.string().nullable(),
  findings: z.array(finding),
  streams: z.array(stream),
  metrics: z.array(objectOf<Allowance>()({ source: z.string(), allowed: z.array(z.string()), sentence: z.string() })),
});
