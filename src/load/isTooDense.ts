/** No table packs better: rows hold hashes. Deflate itself reaches 1,032. */
const most = 200;
/** What is small does no harm. */
const always = 2 ** 20;

/** Whether so many bytes packed and unpacked are rather made to fill a machine (a "zip bomb") than to carry rows. */
export const isTooDense = (packed: number, unpacked: number): boolean => unpacked > always && unpacked > most * packed;
