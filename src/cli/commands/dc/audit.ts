import { resolve } from "node:path";
import { booleanFlag, fileFlag, integerFlag, optionalArgument, requiredArgument, textFlag } from "../../args.ts";
import { defineCommand, defineFamily } from "../../command.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";
import { isTerminal } from "../../output/print.ts";
import { UsageError } from "../../usage_error.ts";

const FILES_FLAG = { type: "string", multiple: true, valueHint: "file", completes: "file" } as const;

export const command = defineFamily({
  meta: { name: "dc audit" },
  subCommands: {
    verify: defineCommand({
      meta: { name: "dc audit verify", description: "Verify the change log" },
      details:
        "Exits with 1 and names the first entry, or resource, that was altered, added or removed. Nothing is changed, and the " +
        "database may be one of an earlier version.",
      args: {
        db: DATABASE_FLAG,
        estate: booleanFlag("Compare every row, window and device type with the log too"),
        checkpoint: { ...FILES_FLAG, description: "Signed checkpoint that the log must contain" },
        key: { ...FILES_FLAG, description: "Public keys of checkpoints, one per line (beside the database)" },
        "lost-key": textFlag("hash", "Key of which no copy is left: skip its checkpoints in the database", {
          multiple: true,
        }),
        "expect-head": textFlag("hash", "Hash that an entry must have"),
        prove: integerFlag(1, "Print a proof that an entry is in the log", { valueHint: "seq" }),
        archive: { ...FILES_FLAG, description: "Archived part of the log" },
      },
      examples: {
        "planner dc audit verify --estate": "Verify the log and the inventory",
        "planner dc audit verify --checkpoint latest.checkpoint --key dc.pub": "Compare with a checkpoint",
      },
      async run({
        args: { db, estate, checkpoint, key, "lost-key": lostKeys, "expect-head": expectedHead, prove, archive },
        cli,
      }) {
        if (expectedHead !== undefined && !/^[0-9a-f]{64}$/.test(expectedHead)) {
          const expected = "expected 64 hexadecimal digits";
          throw new UsageError(`Wrong value "${expectedHead}" for "--expect-head": ${expected}`);
        }
        const path = (given: string) => resolve(cli.cwd, given);
        const { verifyChangeLog } = await import("../../dc/audit/change_log.ts");
        return verifyChangeLog(parseDatabaseLocation(db, cli.cwd), {
          inventory: estate,
          checkpoints: checkpoint.map(path),
          keys: key.map(path),
          lostKeys,
          expectedHead,
          prove,
          archives: archive.map(path),
        });
      },
    }),
    archive: defineCommand({
      meta: { name: "dc audit archive", description: "Move old entries of the change log to a signed file" },
      listed: "Move old entries to a signed file",
      details: "Verifies the log, writes and verifies the file, and then removes its entries from the log.",
      args: {
        db: DATABASE_FLAG,
        before: textFlag("when", "Archive entries older than this, such as 2026-01-01", { required: true }),
        output: fileFlag("File to create", { alias: "o", required: true }),
        key: fileFlag("Private key that signs (beside the database)"),
      },
      examples: { "planner dc audit archive --before 2026-01-01 -o 2025.jsonl": "Archive all of 2025" },
      async run({ args: { db, before, output, key }, cli }) {
        const time = Date.parse(before);
        if (Number.isNaN(time))
          throw new UsageError(`Wrong value "${before}" for "--before": expected a date such as 2026-01-01`);
        const database = parseDatabaseLocation(db, cli.cwd);
        const beside = database.file && `${database.file}.checkpoint-key`;
        const keyPath = key === undefined ? beside : resolve(cli.cwd, key);
        if (keyPath === undefined)
          throw new UsageError('Missing "--key": expected the private key for a database on a server');
        const options = { before: new Date(time).toISOString(), output: resolve(cli.cwd, output), key: keyPath };
        const { archiveChangeLog } = await import("../../dc/audit/change_log.ts");
        return archiveChangeLog(database, options);
      },
    }),
    history: defineCommand({
      meta: { name: "dc audit history", description: "Show changes, the newest first" },
      listed: "Print changes as JSON Lines",
      details:
        "A terminal gets a table of the latest changes; a file, a pipe or --json gets all of them as JSON Lines.",
      args: {
        filters: optionalArgument(
          "A thing, such as B03, or name=value: entity, actor, action, request_id, interface, since, until, page_size, page_token, order",
          { repeats: true },
        ),
        db: DATABASE_FLAG,
        json: booleanFlag("Print JSON Lines"),
      },
      examples: {
        "planner dc audit history SRV-A01-01": "Show the changes of a device",
        "planner dc audit history actor=jwt:alice": "Show the changes of a JWT, but of no token of that name",
        "planner dc audit history since=2026-11-01T00:00:00Z order=asc": "Show a month, the oldest first",
      },
      async run({ args: { filters, db, json }, cli }) {
        const { printHistoryLines, printHistoryTable } = await import("../../dc/audit/audit.ts");
        const [database, parameters] = [parseDatabaseLocation(db, cli.cwd), parseFilters(filters)];
        if (json || !isTerminal("stdout")) return printHistoryLines(database, parameters);
        return printHistoryTable(database, parameters, cli);
      },
    }),
    "dead-letters": defineCommand({
      meta: { name: "dc audit dead-letters", description: "List change feed events that were not understood" },
      details: "Prints JSON Lines, the oldest first, each with an id, the time, the reason and the event.",
      args: { db: DATABASE_FLAG },
      examples: { "planner dc audit dead-letters": "List the dead letters" },
      async run({ args: { db }, cli }) {
        const { printDeadLetters } = await import("../../dc/audit/audit.ts");
        return printDeadLetters(parseDatabaseLocation(db, cli.cwd), cli);
      },
    }),
    replay: defineDeadLetterCommand(
      "replay",
      "Process dead letters again, as if they arrived now",
      "Process every dead letter again",
    ),
    drop: defineDeadLetterCommand("drop", "Delete dead letters", "Delete every dead letter"),
  },
  examples: {
    "planner dc audit verify": "Check the change log",
    "planner dc audit history entity=device:SRV-A01-01": "Show the changes of a device",
  },
});

/** Parses filters such as `entity=device:X`; a word without a name is the entity. The service rejects unknown names. */
function parseFilters(filters: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    filters.map((filter) => {
      const at = filter.indexOf("=");
      if (at > 0) return [filter.slice(0, at), filter.slice(at + 1)];
      if (at < 0) return ["entity", filter];
      throw new UsageError(`Wrong filter "${filter}": expected name=value, such as entity=device:SRV-1`);
    }),
  );
}

/** Defines a command that replays or drops dead letters. */
function defineDeadLetterCommand(action: "replay" | "drop", summary: string, shows: string) {
  return defineCommand({
    meta: { name: `dc audit ${action}`, description: summary },
    listed: summary.replace(/,.*/, ""),
    args: { ids: requiredArgument("Ids of dead letters, or all", { repeats: true }), db: DATABASE_FLAG },
    examples: { [`planner dc audit ${action} all`]: shows },
    async run({ args: { ids, db }, cli }) {
      const { settleDeadLetters } = await import("../../dc/audit/audit.ts");
      return settleDeadLetters(parseDatabaseLocation(db, cli.cwd), ids, action);
    },
  });
}
