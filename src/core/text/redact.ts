import { decoded } from './decoded.ts';

/** What replaces a secret. */
const redacted = '***';

const secretName =
  /^(?:(?:x[-_])?(?:.*[-_])?(?:api[-_]?key|access[-_]?key|secret|signature|credential|access[-_]?token|auth[-_]?token|security[-_]?token)|key|token|auth|authorization|proxy-authorization|cookie|set-cookie|pass|passwd|password|sig|pwd)$/i;
const secretHeader = /key|token|secret|auth|cookie|pass|signature|credential/i;
/** A scheme is looked for where a word begins alone: at each point of a long text it would take the square of its length. */
const userInfo = /(?<![a-z0-9+.-])([a-z0-9+.-]+:\/\/)[^/?#\s"'<>]*@/gi;
const urlParameter = /([?&])([^=&#?\s"'<>]+)=([^&#\s"'<>]*)/g;
/** A secret as short as this is replaced only where it stands alone, or it would blot out half of every sentence. */
const shortLength = 8;
/** A secret as long as this is never part of anything else by chance. */
const certain = 16;

/** Whether a query parameter of this name carries a secret. `pageToken` does not. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Whether a header of this name carries a secret. */
export function isSecretHeader(name: string): boolean {
  return secretHeader.test(name);
}

/**
 * The text without user, password and the values of query parameters that name a secret, in every URL in it. Cut from the
 * text, not parsed and serialised anew: what cannot be parsed hides its secrets too.
 */
export function redactUrl(text: string | URL): string {
  return String(text)
    .replace(userInfo, `$1${redacted}@`)
    .replace(urlParameter, (whole, separator: string, name: string) =>
      isSecretName(decoded(name)) ? `${separator}${name}=${redacted}` : whole,
    );
}

/** Whether a text by itself looks like a key: it is long and mixes letters with digits, as keys in the URLs of RPC providers do. */
const looksLikeKey = (text: string): boolean => /^(?=.*\d)(?=.*[a-z])[\w.~-]{16,}$/i.test(text);

/** Letters and digits in one piece, as words of a name never are; or a UUID. */
const solid = /(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{16,}|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/i;
/** Ids of chains, subnets and nodes (cb58), addresses and hashes. */
const id = /^(?:0[xX][\da-fA-F]+|NodeID-[1-9A-HJ-NP-Za-km-z]{32,33}|[1-9A-HJ-NP-Za-km-z]{47,52})$/;

/** Whether a text that stands where keys may stand is surely one: data holds the like of it only where a server echoes it. */
export const isSurelyKey = (text: string): boolean => looksLikeKey(text) && solid.test(text) && !id.test(text);

/** Whether a line of a configuration may hold a secret: by the name before it, as part of a URL, or because it looks like a key. */
export function mayHoldSecret(line: string): boolean {
  const words = line.split(/[\s"'`,:=[\]{}]+/);
  const named = [...line.matchAll(/([\w-]+)["']?\s*[:=]/g)].some(([, name = '']) => isSecretHeader(name));
  return named || redactUrl(line) !== line || words.some((word) => word.split(/[/?&#@]/).some(looksLikeKey));
}

/** The pieces of a URL's path that may be a key (`https://host/v1/<key>/rpc`); blockchain ids (`/bc/<id>`) are none. */
export function keysInPath(pathname: string): string[] {
  const segments = pathname.split('/');
  return segments.filter((segment, i) => segments[i - 1] !== 'bc' && looksLikeKey(decoded(segment)));
}

/** A configured URL as it may be shown: without user, password, and any key in its query or path. */
export function shownUrl(url: string): string {
  return createRedactor(URL.canParse(url) ? keysInPath(new URL(url).pathname) : [])(url);
}

/**
 * Makes a function that takes text on its way out and hides in it every one of `secrets` (in any of their
 * forms) and every secret part of a URL.
 */
export function createRedactor(secrets: Iterable<string>): (text: string) => string {
  const pattern = allForms(secrets)
    .map((form) => (form.length < shortLength ? `(?<![A-Za-z0-9])${escaped(form)}(?![A-Za-z0-9])` : escaped(form)))
    .join('|');
  const known = pattern === '' ? undefined : new RegExp(pattern, 'g');
  return (text) => redactUrl(known ? text.replace(known, redacted) : text);
}

/**
 * Makes a function that takes an answer as UTF-8 and hides in it every one of `secrets` that it echoes, in any of their forms.
 * Data is never touched by chance: what is short, or only digits, stays, and so does what merely holds a shorter secret.
 */
export function createEchoFilter(secrets: Iterable<string>): (answer: Buffer) => Buffer {
  const forms = allForms(secrets, shortLength).filter((form) => !/^\d+$/.test(form));
  // The letter of an escape (\n) is no part of a word.
  const alone = (form: string) => `(?<!(?<!\\\\)[A-Za-z0-9])${escaped(form)}(?![A-Za-z0-9])`;
  const known = new RegExp(forms.map((form) => (form.length < certain ? alone(form) : escaped(form))).join('|'), 'g');
  return (answer) =>
    forms.some((form) => answer.includes(form)) ? Buffer.from(answer.toString().replace(known, redacted)) : answer;
}

/** Every form of every secret that has a length, before JSON makes it longer; the longest first: one may hold another. */
function allForms(secrets: Iterable<string>, shortest = 1): string[] {
  const forms = [...secrets].flatMap(formsOf).filter((form) => form.length >= shortest);
  return [...new Set(forms.flatMap(inJson))].sort((a, b) => b.length - a.length);
}

/** A secret as it may be echoed: as it is, in a URL, and in base64 of both alphabets. */
function formsOf(secret: string): string[] {
  if (secret === '') return [];
  const encoded = encodeURIComponent(secret.replace(/\p{Cs}/gu, '\ufffd'));
  const base64 = btoa(String.fromCharCode(...new TextEncoder().encode(secret))).replace(/=+$/, '');
  return [
    secret,
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    base64,
    base64.replaceAll('+', '-').replaceAll('/', '_'),
  ];
}

/** What servers write as hex in JSON without need: Python and PHP; Go and Ruby; Gson; .NET, which has no \" either. */
const hexed = [/[^ -~]/g, /[&<>]/g, /[&'<=>]/g, /\\"|[&'+<>`]|[^ -~]/g];

/** A text as it is and as it may stand in JSON: slashes escaped (PHP) or not, hex in small letters or capital ones. Most forms are the same. */
function inJson(text: string): string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const digits = (code: number) => code.toString(16).padStart(4, '0');
  const hex = (found: string) => `\\u${digits(found.charCodeAt(found.length - 1))}`;
  const written = [plain, plain.replaceAll('/', '\\/')].flatMap((json) => [
    json,
    ...hexed.map((characters) => json.replace(characters, hex)),
  ]);
  const capital = written.map((form) => form.replace(/(?<=\\u)[\da-f]{4}/g, (small) => small.toUpperCase()));
  return [text, ...written, ...capital];
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
