/** Where retries are reported; a pino logger fits. */
export interface Log {
  debug(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
}
