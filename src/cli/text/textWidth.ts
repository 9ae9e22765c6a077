/** Characters that a terminal draws two columns wide: of Chinese, Japanese and Korean, and emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** Characters that are drawn over the one before. */
const over = /\p{M}/u;
const narrow = /^[\u0020-\u024f]*$/;

/** Columns that a text takes on a terminal. */
export function textWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += over.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}
