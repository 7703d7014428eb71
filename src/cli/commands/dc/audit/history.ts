import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";
import { usageError } from "../../../usage_error.ts";

export const command = defineCommand({
  summary: "Print changes as JSON Lines, the newest first",
  positionals: {
    filters: {
      summary: "name=value: entity, actor, action, request_id, interface, since, until, page_size, page_token, order",
      required: false,
      repeats: true,
    },
  },
  flags: { db: DATABASE_FLAG },
  examples: [
    { line: "planner dc audit history entity=device:SRV-A01-01", shows: "Show the changes of a device" },
    { line: "planner dc audit history since=2026-11-01T00:00:00Z order=asc", shows: "Show a month, the oldest first" },
  ],
  async run({ filters, db }, cli) {
    const { auditHistory } = await import("../../../dc/audit/audit.ts");
    return auditHistory(databaseOf(db, cli.cwd), namedValues(filters));
  },
});

/** Parses `entity=device:X` and the like. The service refuses unknown names. */
function namedValues(filters: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    filters.map((filter) => {
      const at = filter.indexOf("=");
      if (at > 0) return [filter.slice(0, at), filter.slice(at + 1)];
      throw usageError(
        "dc audit history",
        `Wrong filter "${filter}": expected name=value, such as entity=device:SRV-1`,
      );
    }),
  );
}
