/** As many characters of a server's words as are logged and looked through: of megabytes that would take minutes. */
export const cutWords = (words: string): string => words.slice(0, 4_096);
