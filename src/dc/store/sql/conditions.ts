import type { SqlValue } from "./sql_runner.ts";

export interface Condition {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** The WHERE clause that requires all of them; empty without any. */
export function whereClause(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? "" : `WHERE ${conditions.map(({ sql }) => sql).join(" AND ")}`;
}

export function paramsOf(conditions: readonly Condition[]): readonly SqlValue[] {
  return conditions.flatMap(({ params }) => params);
}
