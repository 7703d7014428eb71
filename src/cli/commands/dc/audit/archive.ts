import { resolve } from "node:path";
import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";
import { usageError } from "../../../usage_error.ts";

export const command = defineCommand({
  summary: "Move old entries of the change log to a signed file",
  details: "Verifies the log, writes and verifies the file, and then removes its entries from the log.",
  positionals: {},
  flags: {
    db: DATABASE_FLAG,
    before: { type: "string", value: "when", summary: "Archive entries older than this, such as 2026-01-01" },
    output: { type: "string", short: "o", value: "file", completes: "file", summary: "File to create" },
    key: { type: "string", value: "file", completes: "file", summary: "Private key that signs (beside the database)" },
  },
  examples: [{ line: "planner dc audit archive --before 2026-01-01 -o 2025.jsonl", shows: "Archive all of 2025" }],
  async run({ db, before, output, key }, cli) {
    if (before === undefined || output === undefined) throw usage('Missing "--before" or "--output": expected both');
    const time = Date.parse(before);
    if (Number.isNaN(time)) throw usage(`Wrong value "${before}" for "--before": expected a date such as 2026-01-01`);
    const database = databaseOf(db, cli.cwd);
    const beside = database.file && `${database.file}.checkpoint-key`;
    const keyPath = key === undefined ? beside : resolve(cli.cwd, key);
    if (keyPath === undefined) throw usage('Missing "--key": expected the private key for a database on a server');
    const options = { before: new Date(time).toISOString(), output: resolve(cli.cwd, output), key: keyPath };
    const { auditArchive } = await import("../../../dc/audit/audit_archive.ts");
    return auditArchive(database, options);
  },
});

function usage(message: string) {
  return usageError("dc audit archive", message);
}
