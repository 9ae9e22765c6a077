/** A text as PostgreSQL takes it, which knows no NUL: one from a source would keep all that is committed with it from being there. */
export const storable = (text: string): string => text.replaceAll('\0', '\ufffd');
