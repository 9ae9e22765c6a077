import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';

/** What fits the address of a socket everywhere; a longer path would be cut, and lead elsewhere. */
const longest = 103;

/** Which start of which kernel this is, where the system tells it (Linux): all containers of a machine have the same. */
export const bootId = (): Promise<string | undefined> =>
  readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );

/**
 * Listens at a path until it is ended, or the process is: every process of this kernel can tell, whatever it sees of processes.
 *
 * @returns ends it; undefined where the file system has no sockets, or the path is too long
 */
export async function listenAt(path: string): Promise<(() => void) | undefined> {
  if (Buffer.byteLength(path) > longest) return undefined;
  const server = createServer((socket) => socket.destroy()).unref();
  try {
    await rm(path, { force: true });
    await once(server.listen(path), 'listening');
  } catch {
    return undefined;
  }
  return () => void server.close();
}

/** Whether a process of this kernel listens at a path; undefined where nothing tells. */
export async function isListening(path: string): Promise<boolean | undefined> {
  if (Buffer.byteLength(path) > longest) return undefined;
  const socket = createConnection(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? false : undefined;
  } finally {
    socket.destroy();
  }
}
