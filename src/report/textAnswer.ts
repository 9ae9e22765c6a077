/** An answer of the server that is a text. */
export interface TextAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One sentence as an answer. */
export const plainAnswer = (status: number, sentence: string, headers: Record<string, string> = {}): TextAnswer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: `${sentence}\n`,
  headers,
});
