import type { Finding } from '../../run/probe/finding.ts';

/** What is missing for the same reason as one finding: the indexes of a node without them. The sentence is that of the first. */
export function groupedFindings(findings: readonly Finding[]): Finding[] {
  const first = new Map<string, Finding>();
  for (const finding of findings) {
    const [stream = '', ...names] = finding.about.split(' ');
    const name = names.join(' ');
    // A sentence may name what it is about.
    const key =
      finding.state !== 'ok' && stream.includes('/')
        ? `${finding.state} ${finding.code} ${stream} ${finding.sentence.replaceAll(name, '')}`
        : `${finding.state} ${finding.about}`;
    const known = first.get(key);
    first.set(key, known ? { ...known, about: `${known.about}, ${name}` } : finding);
  }
  return [...first.values()];
}
