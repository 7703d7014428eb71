import { demandKnown } from "./migrate.ts";
import { migrations } from "./migrations/index.ts";

/** How far a database's schema is. */
export interface SchemaState {
  /** Steps that it has taken; 0 for an empty one. */
  readonly done: number;
  /** Steps that this program knows. */
  readonly known: number;
  /** The first version of the program that takes as many; undefined for an empty database. */
  readonly since: string | undefined;
  /** Names of those that are still to come, oldest first. */
  readonly pending: readonly string[];
}

/** @throws OperationError failed_precondition for more steps than this program knows */
export function schemaState(done: number): SchemaState {
  demandKnown(done);
  const pending = migrations.slice(done).map(({ name }) => name);
  return { done, known: migrations.length, since: migrations[done - 1]?.since, pending };
}
