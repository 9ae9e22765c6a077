/** Text of several lines as one, for a sentence or the line of a log: line ends, and the blanks around them, become a space. */
export const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ');
