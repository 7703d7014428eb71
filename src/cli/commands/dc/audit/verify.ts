import { resolve } from "node:path";
import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";
import { usageError } from "../../../usage_error.ts";

const FILES = { type: "string", multiple: true, value: "file", completes: "file" } as const;

export const command = defineCommand({
  summary: "Verify the change log",
  details:
    "Exits with 1 and names the first entry, or resource, that was altered, added or removed. Nothing is changed, and the " +
    "database may be one of an earlier version.",
  positionals: {},
  flags: {
    db: DATABASE_FLAG,
    estate: { type: "boolean", summary: "Compare every row of the inventory with the log too" },
    checkpoint: { ...FILES, summary: "Signed checkpoint that the log must contain" },
    key: { ...FILES, summary: "Public keys of checkpoints, one per line (beside the database)" },
    "lost-key": {
      type: "string",
      multiple: true,
      value: "hash",
      summary: "Key of which no copy is left: skip its checkpoints in the database",
    },
    "expect-head": { type: "string", value: "hash", summary: "Hash that an entry must have" },
    prove: { type: "integer", value: "seq", least: 1, summary: "Print a proof that an entry is in the log" },
    archive: { ...FILES, summary: "Archived part of the log" },
  },
  examples: [
    { line: "planner dc audit verify --estate", shows: "Verify the log and the inventory" },
    { line: "planner dc audit verify --checkpoint latest.checkpoint --key dc.pub", shows: "Compare with a checkpoint" },
  ],
  async run({ db, estate, checkpoint, key, "lost-key": lostKeys, "expect-head": expectedHead, prove, archive }, cli) {
    if (expectedHead !== undefined && !/^[0-9a-f]{64}$/.test(expectedHead)) {
      const expected = "expected 64 hexadecimal digits";
      throw usageError("dc audit verify", `Wrong value "${expectedHead}" for "--expect-head": ${expected}`);
    }
    const path = (given: string) => resolve(cli.cwd, given);
    const { auditVerify } = await import("../../../dc/audit/audit_verify.ts");
    return auditVerify(databaseOf(db, cli.cwd), {
      inventory: estate,
      checkpoints: checkpoint.map(path),
      keys: key.map(path),
      lostKeys,
      expectedHead,
      prove,
      archives: archive.map(path),
    });
  },
});
