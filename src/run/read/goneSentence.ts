/**
 * Says that what was read before is missing now.
 *
 * @param read when: `before`, or until when
 * @param cause what the source answers
 */
export const goneSentence = (read: string, cause: string): string =>
  `This was read ${read} and is not offered any more: check the path in the URL of this source, and the node's flags. ${cause}`;
