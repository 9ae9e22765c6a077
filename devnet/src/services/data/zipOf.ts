import { crc32, deflateRawSync } from 'node:zlib';

/** A zip archive with one deflated file. The date in it is fixed, so that the same content gives the same bytes. */
export function zipOf(name: string, content: Uint8Array): Buffer {
  const deflated = deflateRawSync(content);
  const file = Buffer.from(name);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt16LE(0x5821, 8);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(deflated.length, 14);
  common.writeUInt32LE(content.length, 18);
  common.writeUInt16LE(file.length, 22);
  const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), common, file, deflated]);
  const central = Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), common, Buffer.alloc(14), file]);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}
