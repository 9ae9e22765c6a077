import type { Statements } from '../src/load/database/transaction.ts';

/** A part of a query's plan, and how many rows came out of it. */
interface PlanPart {
  readonly name: string;
  readonly rows: number;
}

/** How many rows come out of each part of the plans of what some work asks: what a query reads and puts together, however fast. */
export async function rowsThrough(
  { query }: Pick<Statements, 'query'>,
  work: (source: Pick<Statements, 'query'>) => Promise<unknown>,
): Promise<PlanPart[]> {
  const parts: PlanPart[] = [];
  await work({
    async query(sql, values) {
      const [plan] = await query<{ explain_value: string }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, values);
      JSON.parse(plan?.explain_value ?? '', (_, node) => {
        if (node?.operator_cardinality !== undefined)
          parts.push({
            name: node.operator_name,
            rows: node.operator_cardinality,
          });
        return node;
      });
      return query(sql, values);
    },
  });
  return parts;
}
