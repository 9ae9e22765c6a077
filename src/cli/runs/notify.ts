import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../core/firnError.ts';
import { unsetText, unsetVariable } from '../../core/input/unsetVariable.ts';
import { printable } from '../../core/text/printable.ts';
import { replaceShared } from '../../disk/durable.ts';
import { postJson } from '../../extract/connections/postJson.ts';
import { makeStateFolder } from '../../load/state/makeStateFolder.ts';
import { type FindingKind, findingKinds, type HealthFinding } from '../../report/health/assessHealth.ts';
import type { Settings } from '../../run/settings.ts';
import type { Console } from '../terminal/console.ts';

/** What was said last, in `.state/notify.json`: nobody wants the same message every ten minutes. */
interface Said {
  readonly kinds: readonly FindingKind[];
  readonly at: string;
}

/** The same trouble is reported again after a day. */
const againAfterMs = 86_400_000;
const timeoutMs = 10_000;

/**
 * Sends what needs attention to the webhook of the configuration: when a kind of trouble appears, once a day while it stays, and
 * when all is well again. A webhook that fails is a remark on stderr, never a failed run.
 *
 * @param findings what needs attention, given the kinds of trouble that were told and are not over
 */
export async function notify(
  settings: Settings,
  findings: (said: readonly FindingKind[]) => readonly HealthFinding[],
  console: Console,
): Promise<void> {
  if (!settings.notify) {
    console.warn('There is no notify.webhook in the configuration: nothing was sent.');
    return;
  }
  const unset = unsetVariable(settings.notify.webhook);
  if (unset !== undefined) {
    console.warn(`${unsetText('notify.webhook', unset)}: nothing was sent.`);
    return;
  }
  const wanted = settings.notify.on ?? findingKinds;
  const before = await readSaid(settings.warehouse);
  const told = findings(before.kinds).filter(({ kind }) => wanted.includes(kind));
  const kinds = findingKinds.filter((kind) => told.some((finding) => finding.kind === kind));
  const isNew = kinds.some((kind) => !before.kinds.includes(kind));
  const isAgain = kinds.length > 0 && Math.abs(Date.now() - Date.parse(before.at)) > againAfterMs;
  // What is not to be told any more is not over by that.
  const isOver = kinds.length === 0 && before.kinds.some((kind) => wanted.includes(kind));
  if (!isNew && !isAgain && !isOver) return;
  if (await post(settings.notify.webhook, message(told, settings.warehouse), console))
    await writeSaid(settings.warehouse, { kinds, at: new Date().toISOString() });
}

/** One sentence per line. `text` is what Slack, Mattermost and others show, `content` what Discord does. */
function message(findings: readonly HealthFinding[], warehouse: string): Record<string, unknown> {
  const lines =
    findings.length === 0 ? ['All is well again.'] : findings.map(({ kind, sentence }) => `${kind}: ${sentence}`);
  const text = printable(`firn on ${hostname()} (${warehouse})\n${lines.join('\n')}`);
  return {
    text,
    content: text.slice(0, 1900),
    event: findings.length === 0 ? 'recovered' : 'trouble',
    findings,
    warehouse,
    host: hostname(),
    at: new Date().toISOString(),
  };
}

async function post(webhook: string, body: object, console: Console): Promise<boolean> {
  try {
    const status = await postJson(webhook, body, { signal: AbortSignal.timeout(timeoutMs) });
    if (status < 300) return true;
    console.warn(`The webhook at ${new URL(webhook).host} answered ${status}: the message was not accepted.`);
  } catch (error) {
    const reason = messageOf(error).replaceAll(webhook, 'it');
    // Its path is a secret: only the host is named.
    console.warn(`The webhook at ${new URL(webhook).host} could not be reached: ${reason}.`);
  }
  return false;
}

const fileOf = (warehouse: string) => join(warehouse, '.state', 'notify.json');

async function readSaid(warehouse: string): Promise<Said> {
  try {
    return { kinds: [], at: '', ...(JSON.parse(await readFile(fileOf(warehouse), 'utf8')) as Partial<Said>) };
  } catch {
    return { kinds: [], at: '' };
  }
}

async function writeSaid(warehouse: string, said: Said): Promise<void> {
  const file = fileOf(warehouse);
  try {
    await makeStateFolder(warehouse);
    await replaceShared(file, `${JSON.stringify(said)}\n`, 0o600);
  } catch {
    // A full disk must not hide why the run failed: the worst is a message sent twice.
  }
}
