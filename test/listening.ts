import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Lets a server listen at a free port of this machine, or at this one; `close` ends it with its connections. */
export async function listening(server: Server, at = 0) {
  await once(server.listen(at, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  return { port, url: `http://127.0.0.1:${port}`, close };
}
