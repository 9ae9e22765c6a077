import { decoded } from '../../core/text/decoded.ts';

/** The header by which a URL's user and password are sent; undefined where it has none. */
export function basicAuthorization({ username, password }: URL): string | undefined {
  if (`${username}${password}` === '') return undefined;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`;
}
