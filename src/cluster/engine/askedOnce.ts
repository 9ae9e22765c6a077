/** Answers by what was asked, each asked for once; one that failed is asked for again. */
export interface AskedOnce<T> {
  get(key: string): Promise<T>;
  forget(key: string): void;
}

export function askedOnce<T>(ask: (key: string) => Promise<T>): AskedOnce<T> {
  const answers = new Map<string, Promise<T>>();
  return {
    get(key) {
      const answer = answers.get(key) ?? ask(key);
      answers.set(key, answer);
      answer.catch(() => answers.delete(key));
      return answer;
    },
    forget: (key) => void answers.delete(key),
  };
}
