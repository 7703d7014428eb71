import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresConnection } from "./postgres_connection.ts";
import { isSchemaRace } from "./postgres_errors.ts";

/** Maximum number of attempts, for servers that change the schema at the same time. */
const MAX_TRIES = 20;

/** Repeats work, after a rollback and a random pause, while another server changes the schema at the same time. */
export async function retrySchemaRace<Result>(
  connection: PostgresConnection,
  maxPauseMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const failure = connection.failure ?? error;
      await connection.rollback();
      if (tries === MAX_TRIES || !isSchemaRace(failure)) throw failure;
      await sleep(Math.random() * maxPauseMs);
    }
  }
}
