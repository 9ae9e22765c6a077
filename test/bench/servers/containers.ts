import { readLedger } from '../../../devnet/src/index.ts';
import { encodeCb58 } from '../../../src/decode/bytes/cb58.ts';
import { sha256 } from '../../../src/decode/bytes/hashes.ts';
import { decodeHexChecksum, encodeHexChecksum } from '../../../src/decode/bytes/hexChecksum.ts';
import { answerRpc, type CreateServer, type Server } from './server.ts';

/** Where an envelope names its parent: behind its version and type. */
const parentAt = 6;
/** The length of a signature, zero in an unsigned envelope, is left out of the hash that is the id. */
const signatureLength = 4;

/** The C-Chain containers of the embedded ledger, over and over, each naming the one before it as its parent. */
const create = async (rows: number, decode: boolean): Promise<Server> => {
  const { c } = await readLedger();
  const recorded = c.blocks.flatMap(({ container }) => (container ? [decodeHexChecksum(container.bytes)] : []));
  let parent = recorded[0]?.subarray(parentAt, parentAt + 32) ?? Buffer.alloc(32);
  const ids = new Map<string, number>();
  const records = Array.from({ length: rows }, (_, index) => {
    const bytes = Buffer.from(recorded[index % recorded.length] as Buffer);
    parent.copy(bytes, parentAt);
    parent = sha256(bytes.subarray(0, -signatureLength));
    const id = encodeCb58(parent);
    ids.set(id, index);
    return `{"id":"${id}","bytes":"${encodeHexChecksum(bytes)}","timestamp":"2026-01-20T00:01:12.121451852Z","encoding":"hex","index":"${index}"}`;
  });
  return {
    stored: { node_containers: rows },
    source: 'node',
    streams: { 'node/containers': { indexes: ['C/block'], decode } },
    answer: (_, body) =>
      answerRpc(body, (method, params) => {
        const { startIndex, numToFetch, index, id } = params as Readonly<Record<string, unknown>>;
        switch (method) {
          case 'index.getLastAccepted':
            return records.at(-1);
          case 'index.getContainerByIndex':
            return records[Number(index)];
          case 'index.getIndex':
            return `{"index":"${ids.get(String(id))}"}`;
          case 'index.getContainerRange': {
            const from = Number(startIndex);
            return `{"containers":[${records.slice(from, from + Number(numToFetch)).join(',')}]}`;
          }
          default:
            return undefined;
        }
      }),
  };
};

export const containers: CreateServer = (rows) => create(rows, false);
export const decodedContainers: CreateServer = (rows) => create(rows, true);
