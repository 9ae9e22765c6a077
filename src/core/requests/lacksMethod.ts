/** What nodes and services say of a method that they do not have, or not on this plan; a service that has none of them itself knows no provider of it. */
const noMethod =
  /\b(methods?|namespace|(debug|eth)_\w+|trace requests?)\b.*(?<!temporarily )(does not exist|not (available|found|supported|allowed|enabled|whitelisted|permitted|included in your)|\bdisabled\b)|(unknown|unsupported) method|can't route your request/i;

/** Whether an error's message says that the server does not know the method at all. */
export const lacksMethod = (message: string): boolean =>
  noMethod.test(message) && !isOfPruned(message) && !lacksBlock(message);

/**
 * Whether it is about one block, which the server does not have (yet), or has not accepted or executed yet. Of "finalized" or "safe", which are no
 * blocks but tags, it may have none for ever.
 */
export const lacksBlock = (message: string): boolean =>
  /(?<!\b(?:finalized|safe|pending) )\b(block|header)( #?\w+)? not found|cannot query unfinalized data|not executed yet|post-execution state root unavailable/i.test(
    message,
  );

/** Whether it is about one block, whose state was pruned: "missing trie node ... state ... is not available". */
export const isOfPruned = (message: string): boolean => /\b(trie|state)\b/i.test(message);
