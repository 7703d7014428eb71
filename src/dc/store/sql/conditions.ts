import type { SqlValue } from "./sql_runner.ts";

export interface SqlCondition {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** Returns the WHERE clause that requires all conditions; empty without conditions. */
export function createWhereClause(conditions: readonly SqlCondition[]): string {
  return conditions.length === 0 ? "" : `WHERE ${conditions.map(({ sql }) => sql).join(" AND ")}`;
}

export function listConditionParams(conditions: readonly SqlCondition[]): readonly SqlValue[] {
  return conditions.flatMap(({ params }) => params);
}
