import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

/** What undici has of a connection that it reads answers from. */
interface Parser {
  readonly llhttp: { llhttp_resume(parser: unknown): void };
  readonly ptr: unknown;
  paused: boolean;
  execute(bytes: Buffer): void;
}

/**
 * Options by which a connection is made within so many milliseconds. Node leaves each address of a name but the last after 250 ms of its own
 * accord, which a far server and a lost packet (sent again after a second) take longer than.
 */
export const within = (timeout: number): buildConnector.BuildOptions => ({
  timeout,
  autoSelectFamilyAttemptTimeout: Math.ceil(Math.min(2_000, timeout / 2)),
});

/** Connects as undici does. @param timeout in milliseconds */
export const createConnector = (timeout: number, options?: buildConnector.BuildOptions): buildConnector.connector =>
  readingOn(buildConnector({ ...options, ...within(timeout) }));

/**
 * Where a connection that is not kept ends behind an answer that is paused, undici 7 ends the process by an assertion (nodejs/undici#5360): such an
 * answer is read to its end before undici hears of that. Undici 8 does it itself, and needs Node 22.
 */
export function readingOn(connect: buildConnector.connector): buildConnector.connector {
  return (target, connected) =>
    connect(target, (...made) => {
      const [, socket] = made;
      socket?.on('end', () => readOn(socket));
      socket?.on('error', ({ code }: NodeJS.ErrnoException) => {
        if (code === 'ECONNRESET') readOn(socket);
        // TLS 1.3 says it behind the handshake: undici would tell of the end that follows, and nothing of this.
        if (code === 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED') socket.removeAllListeners('end');
      });
      connected(...made);
    });
}

function readOn(socket: Socket): void {
  const symbol = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser');
  const parser = symbol && (socket as never as Record<symbol, Parser | null>)[symbol];
  if (!parser?.paused) return;
  const resume = () => {
    parser.llhttp.llhttp_resume(parser.ptr);
    parser.paused = false;
  };
  let bytes: Buffer | null;
  do {
    resume();
    bytes = socket.read();
    parser.execute(bytes ?? Buffer.alloc(0));
  } while (parser.paused && bytes);
  // An answer without a length is paused until its end is told.
  if (parser.paused) resume();
}
