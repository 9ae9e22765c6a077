import { worstExit } from '../core/exitCode.ts';
import { exitCodeText } from './exitCodeText.ts';
import { auditFails, heldBackText } from './heldBackText.ts';
import { countText, plural } from './numberText.ts';
import type { StatusData } from './reportData.ts';
import { streamHealth } from './streamHealth.ts';
import { momentText, spanText } from './timeText.ts';
import { groupOf } from './verdictFacts.ts';

export const findingKinds = ['failed', 'mismatch', 'quarantined', 'stale'] as const;
export type FindingKind = (typeof findingKinds)[number];

/** Something that somebody should look at. */
export interface Finding {
  readonly kind: FindingKind;
  /** What is wrong, and where to look. */
  readonly sentence: string;
  /** The exit code of a check that found it. */
  readonly exitCode: number;
}

export interface Health {
  readonly findings: readonly Finding[];
  /** 0 where nothing was found, else the worst: 1 failed, 3 mismatch, 4 quarantined, 73 disk, 75 stale or unfinished, 77 not authorised. */
  readonly exitCode: number;
  /** Milliseconds since the end of the last run that published. */
  readonly ageMs: number | null;
}

/** Exit codes of runs that came to their end and published: 3 and 4 tell of what is in the data. */
const published = [0, 3, 4];

/**
 * Judges what is published.
 *
 * @param maxAgeMs how long ago the last good run may have ended; without it no age is too old
 */
export function assessHealth(data: StatusData, maxAgeMs?: number): Health {
  const lastGood = data.runs.find(({ exitCode }) => exitCode !== null && published.includes(exitCode));
  const ageMs = lastGood?.finishedAt == null ? null : data.generatedAt - lastGood.finishedAt;
  const findings = [
    ...lastRun(data),
    ...unread(data),
    ...mismatches(data),
    ...quarantined(data),
    ...(maxAgeMs === undefined ? [] : staleness(ageMs, maxAgeMs)),
  ];
  return { findings, exitCode: worstExit(findings.map(({ exitCode }) => exitCode)), ageMs };
}

function lastRun({ runs }: StatusData): Finding[] {
  const last = runs.find(({ exitCode }) => exitCode !== null);
  if (!last?.exitCode || [3, 4, 130, 143].includes(last.exitCode)) return [];
  const why = last.problems[0] ? `: ${last.problems[0]}` : '.';
  const sentence = `The last run (${last.command}, ${momentText(last.startedAt)} UTC) ended with ${last.exitCode}, ${exitCodeText(last.exitCode)}${why}`;
  return [{ kind: last.exitCode === 75 ? 'stale' : 'failed', sentence, exitCode: last.exitCode }];
}

function unread({ streams }: StatusData): Finding[] {
  return streams.flatMap((stream): Finding[] => {
    const { failed, behind } = streamHealth(stream);
    if (failed > 0) {
      const message = stream.partitions.find(({ outcome }) => outcome === 'failed')?.message ?? 'see firn report';
      return [
        {
          kind: 'failed',
          sentence: `${stream.stream}: ${plural(failed, 'partition')} failed: ${message}`,
          exitCode: 1,
        },
      ];
    }
    if (behind === 0) return [];
    return [
      {
        kind: 'stale',
        sentence: `${stream.stream} is ${countText(behind)} positions behind the source's head.`,
        exitCode: 75,
      },
    ];
  });
}

function mismatches({ verdicts, audits, heldBack }: StatusData): Finding[] {
  // Served weeks are too unreliable to raise an alarm; the report shows them.
  const wrong = verdicts.filter(({ verdict, interval }) => groupOf(verdict) === 'differs' && interval !== 'week');
  const buckets = wrong.reduce((sum, count) => sum + count.buckets, 0);
  const where = wrong.slice(0, 3).map(({ chainId, metric, interval }) => `${metric} of ${chainId} by ${interval}`);
  const failing = audits.filter(auditFails).map(({ name }) => name);
  return [
    ...(buckets > 0
      ? [
          {
            sentence: `${plural(buckets, 'settled bucket')} ${buckets === 1 ? 'differs' : 'differ'} from what is served: ${where.join(', ')}${wrong.length > where.length ? ' and more' : ''}.`,
          },
        ]
      : []),
    ...(failing.length > 0
      ? [{ sentence: `${plural(failing.length, 'audit')} failed: ${failing.slice(0, 3).join(', ')}.` }]
      : []),
    ...heldBack.map((held) => ({ sentence: heldBackText(held) })),
  ].map(({ sentence }) => ({ kind: 'mismatch', sentence, exitCode: 3 }));
}

function quarantined({ streams, unloaded }: StatusData): Finding[] {
  const files = unloaded.map(({ file, problem }): Finding => {
    return { kind: 'quarantined', sentence: `refs/${file} is not loaded: ${problem}.`, exitCode: 4 };
  });
  const records = streams.reduce((sum, stream) => sum + stream.quarantined, 0);
  if (records === 0) return files;
  const sentence = `${plural(records, 'record')} could not be read: firn quarantine lists them, firn quarantine replay tries again.`;
  return [{ kind: 'quarantined', sentence, exitCode: 4 }, ...files];
}

function staleness(ageMs: number | null, maxAgeMs: number): Finding[] {
  if (ageMs !== null && ageMs <= maxAgeMs) return [];
  const since =
    ageMs === null ? 'No run has published yet' : `The last run that published ended ${spanText(ageMs)} ago`;
  return [
    { kind: 'stale', sentence: `${since}; at most ${spanText(maxAgeMs)} is expected. Is cron running?`, exitCode: 75 },
  ];
}
