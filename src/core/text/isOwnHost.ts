const loopback = /^(localhost|127\.0\.0\.1|::1|\[::1\])$/i;

/**
 * Whether a Host header names this machine by a name that no other machine can have: a page elsewhere that lets its own name
 * point here (DNS rebinding) is told apart by it. The port may be any: another one may lead here, as `ssh -L` does.
 *
 * @param listensAt the name under which others reach the server: then every address is its own, and this name
 */
export function isOwnHost(host: string | undefined, listensAt = 'localhost'): boolean {
  const [, name = ''] = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d+)?$/i.exec(host ?? '') ?? [];
  if (!loopback.test(listensAt) && (name === listensAt || /^(\[.*\]|\d+(\.\d+){3})$/.test(name))) return true;
  return loopback.test(name);
}
