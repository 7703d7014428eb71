import { demandKnown } from "./migrate.ts";
import { migrations } from "./migrations/index.ts";

export interface SchemaState {
  /** Number of executed steps; 0 for an empty database. */
  readonly done: number;
  /** Number of steps in this program. */
  readonly known: number;
  /** The first version of the program that takes as many; undefined for an empty database. */
  readonly since: string | undefined;
  /** Names of the pending steps, oldest first. */
  readonly pending: readonly string[];
}

/** @throws OperationError failed_precondition for more steps than this program has */
export function schemaState(done: number): SchemaState {
  demandKnown(done);
  const pending = migrations.slice(done).map(({ name }) => name);
  return { done, known: migrations.length, since: migrations[done - 1]?.since, pending };
}
