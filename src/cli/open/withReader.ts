import type { Reader } from '../../publish/reader/openReader.ts';

/** Does its work with a reader that is being opened, and closes it. */
export async function withReader<T>(opening: Promise<Reader>, work: (reader: Reader) => Promise<T>): Promise<T> {
  const reader = await opening;
  try {
    return await work(reader);
  } finally {
    reader.close();
  }
}
