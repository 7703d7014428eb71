import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";
import { isTerminal } from "../../../output/terminal.ts";
import { usageError } from "../../../usage_error.ts";

export const command = defineCommand({
  summary: "Show changes, the newest first",
  details: "A terminal gets a table of the latest changes; a file, a pipe or --json gets all of them as JSON Lines.",
  positionals: {
    filters: {
      summary:
        "A thing, such as B03, or name=value: entity, actor, action, request_id, interface, since, until, page_size, page_token, order",
      required: false,
      repeats: true,
    },
  },
  flags: { db: DATABASE_FLAG, json: { type: "boolean", summary: "Print JSON Lines" } },
  examples: [
    { line: "planner dc audit history SRV-A01-01", shows: "Show the changes of a device" },
    {
      line: "planner dc audit history actor=jwt:alice",
      shows: "Show the changes of a JWT, but of no token of that name",
    },
    { line: "planner dc audit history since=2026-11-01T00:00:00Z order=asc", shows: "Show a month, the oldest first" },
  ],
  async run({ filters, db, json }, cli) {
    const { auditHistory, showHistory } = await import("../../../dc/audit/audit.ts");
    const [database, parameters] = [databaseOf(db, cli.cwd), namedValues(filters)];
    if (json || !isTerminal("stdout")) return auditHistory(database, parameters);
    return showHistory(database, parameters, cli);
  },
});

/** Parses `entity=device:X` and the like; a word without a name is the entity. The service refuses unknown names. */
function namedValues(filters: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    filters.map((filter) => {
      const at = filter.indexOf("=");
      if (at > 0) return [filter.slice(0, at), filter.slice(at + 1)];
      if (at < 0) return ["entity", filter];
      throw usageError(
        "dc audit history",
        `Wrong filter "${filter}": expected name=value, such as entity=device:SRV-1`,
      );
    }),
  );
}
