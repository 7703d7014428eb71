import { type SchemaState, schemaState } from "#dc/store/migrate.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import { printText } from "../output/wrap_text.ts";
import type { Database } from "./database.ts";
import { withInspected } from "./with_service.ts";

/** Prints the version of the schema; status 1 if steps are missing. @throws OperationError for a newer program's database */
export async function migrateStatus(database: Database): Promise<ExitStatus> {
  const { done, known, pending } = await stateOf(database);
  printText(`${database.shown}: ${done} of ${known} steps\n`);
  for (const name of pending) printText(`pending: ${name}\n`);
  return pending.length === 0 ? EXIT_STATUS.ok : EXIT_STATUS.refused;
}

/** Takes the missing steps, all or none. Serving and importing do the same when they open a database. */
export async function migrateApply(database: Database): Promise<void> {
  const { pending, known } = database.exists() ? await stateOf(database) : { pending: ["(new database)"], known: 0 };
  await (await database.open()).close();
  for (const name of pending) printText(`applied: ${name}\n`);
  if (pending.length === 0) printText(`${database.shown}: nothing to do, ${known} of ${known} steps\n`);
}

function stateOf(database: Database): Promise<SchemaState> {
  return withInspected(database, async ({ steps }) => schemaState(steps));
}
