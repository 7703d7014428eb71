import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Check the chain of hashes of the change log",
  details: "Exits with 1 and names the first entry that was altered or is missing.",
  positionals: {},
  flags: { db: DATABASE_FLAG },
  examples: [{ line: "planner dc audit verify", shows: "Check the change log" }],
  async run({ db }, cli) {
    const { auditVerify } = await import("../../../dc/audit.ts");
    return auditVerify(databaseOf(db, cli.cwd));
  },
});
