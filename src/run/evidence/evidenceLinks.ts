/** The links of the chain of evidence, from the outermost in. */
export const links = [
  'signature',
  'container',
  'header',
  'parent',
  'transactions',
  'senders',
  'receipts',
  'prices',
  'gas',
  'bloom',
  'atomic_data',
  'withdrawals',
] as const;

export type Link = (typeof links)[number];
export type LinkVerdict = 'proven' | 'broken' | 'not_covered' | 'not_applicable';

/** What was proven of one block. */
export interface BlockEvidence {
  readonly number: number;
  readonly hash: string;
  readonly links: Readonly<Record<Link, LinkVerdict>>;
  /** The first thing that breaks: what it is, what was found, what it should be. */
  readonly broken: string | null;
}

/** Gathers the verdicts of one block. */
export interface EvidenceBuilder {
  /** Notes whether the link holds; the sentence is made only where it does not. */
  check(link: Link, holds: boolean, what: () => string): void;
  /** Notes that a link cannot be checked, unless something was found about it before. */
  leave(link: Link, verdict: 'not_covered' | 'not_applicable'): void;
  build(number: number, hash: string): BlockEvidence;
}

export function createEvidence(): EvidenceBuilder {
  const verdicts: Partial<Record<Link, LinkVerdict>> = {};
  const broken: { link: Link; what: string }[] = [];
  return {
    check(link, holds, what) {
      if (!holds) {
        verdicts[link] = 'broken';
        broken.push({ link, what: what() });
      } else if (verdicts[link] !== 'broken') verdicts[link] = 'proven';
    },
    leave(link, verdict) {
      verdicts[link] ??= verdict;
    },
    build(number, hash) {
      const all = Object.fromEntries(links.map((link) => [link, verdicts[link] ?? 'not_applicable']));
      // The innermost field says more than the root above it, so the first one checked counts.
      const [first] = broken;
      return {
        number,
        hash,
        links: all as Record<Link, LinkVerdict>,
        broken: first ? `${first.link}: ${first.what}` : null,
      };
    },
  };
}
