import { z } from 'zod';

/** The schema of an object. */
export type ObjectSchema = z.ZodObject<z.ZodRawShape>;

interface Unwrapped {
  readonly inner: z.ZodType;
  readonly mayMiss: boolean;
  readonly mayBeNull: boolean;
  /** Whether it is optional, nullable or lenient: its column may then be NULL. */
  readonly nullable: boolean;
}

// Remembered, since it is asked for every member of every record that a schema judges, and zod takes its time to answer.
const unwrapped = new WeakMap<z.ZodType, Unwrapped>();

/** What an optional, nullable or lenient schema holds, and which of these it is. */
export function unwrap(schema: z.ZodType): Unwrapped {
  const known = unwrapped.get(schema);
  if (known) return known;
  let inner = schema;
  let mayMiss = false;
  let mayBeNull = false;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable || inner instanceof z.ZodCatch) {
    mayMiss ||= inner instanceof z.ZodOptional;
    mayBeNull ||= inner instanceof z.ZodNullable;
    inner = inner.unwrap() as z.ZodType;
  }
  const found = { inner, mayMiss, mayBeNull, nullable: inner !== schema };
  unwrapped.set(schema, found);
  return found;
}
