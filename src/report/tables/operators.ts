/** How a column is compared: the operator's word in an address, and its name in a form. */
export const operators: Readonly<Record<string, { readonly sign: string; readonly needsValue: boolean }>> = {
  has: { sign: 'contains', needsValue: true },
  eq: { sign: '=', needsValue: true },
  ne: { sign: '≠', needsValue: true },
  lt: { sign: '<', needsValue: true },
  le: { sign: '≤', needsValue: true },
  gt: { sign: '>', needsValue: true },
  ge: { sign: '≥', needsValue: true },
  null: { sign: 'is NULL', needsValue: false },
  given: { sign: 'is not NULL', needsValue: false },
};
