import { getSchemaState, type SchemaState } from "#dc/store/migrations.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import { printText } from "../output/wrap_text.ts";
import type { DatabaseLocation } from "./database.ts";
import { withInspectedStore } from "./with_service.ts";

/** Prints the schema's version. Returns status 1 if steps are missing. @throws OperationError for a newer schema */
export async function printSchemaStatus(database: DatabaseLocation): Promise<ExitStatus> {
  const { done, known, pending } = await readSchemaState(database);
  printText(`${database.displayName}: ${done} of ${known} steps\n`);
  for (const name of pending) printText(`pending: ${name}\n`);
  return pending.length === 0 ? EXIT_STATUS.ok : EXIT_STATUS.refused;
}

/** Applies all missing migration steps or none. `dc serve` and `dc import` also apply them. */
export async function applyMigrations(database: DatabaseLocation): Promise<void> {
  const { pending, known } = database.exists()
    ? await readSchemaState(database)
    : { pending: ["(new database)"], known: 0 };
  await (await database.open()).close();
  for (const name of pending) printText(`applied: ${name}\n`);
  if (pending.length === 0) printText(`${database.displayName}: nothing to do, ${known} of ${known} steps\n`);
}

function readSchemaState(database: DatabaseLocation): Promise<SchemaState> {
  return withInspectedStore(database, async ({ steps }) => getSchemaState(steps));
}
