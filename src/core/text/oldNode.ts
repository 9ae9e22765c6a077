/**
 * What to say to somebody whose Node is too old; null where it is not.
 *
 * @param version such as `20.20.2`
 * @param wanted as in a package's `engines`: `>=20.19`
 */
export function oldNode(version: string, wanted: string): string | null {
  const parts = (text: string) => [...text.matchAll(/\d+/g)].map(Number);
  const least = parts(wanted);
  const own = parts(version);
  const place = least.findIndex((part, i) => part !== (own[i] ?? 0));
  const isEnough = place === -1 || (own[place] ?? 0) > (least[place] ?? 0);
  return isEnough ? null : `This is Node ${version}, firn needs ${wanted}. Install a newer one.`;
}
