import { booleanFlag, requiredArgument } from "../../args.ts";
import { defineCommand, defineFamily } from "../../command.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";
import { endProcess } from "../../exit_status.ts";

export const command = defineFamily({
  meta: { name: "dc notices" },
  subCommands: {
    list: defineCommand({
      meta: { name: "dc notices list", description: "List notices that wait and dead letters" },
      details: "Prints JSON Lines in the order of sending, each with its id, receiver, tries and the last error.",
      args: { db: DATABASE_FLAG, dead: booleanFlag("Only dead letters") },
      examples: { "planner dc notices list --dead": "Show what could not be sent" },
      async run({ args: { db, dead }, cli }) {
        const { printNotices } = await import("../../dc/notices/notice_commands.ts");
        return printNotices(parseDatabaseLocation(db, cli.cwd), dead, cli);
      },
    }),
    test: defineCommand({
      meta: { name: "dc notices test", description: "Send a trial notice" },
      details:
        "The server that runs with --notify sends it. Waits for the receiver's answer; exits with 1 without one.",
      args: { name: requiredArgument("Name of the receiver"), db: DATABASE_FLAG },
      examples: { "planner dc notices test ops": "Send a trial notice to the receiver ops" },
      async run({ args: { db, name }, cli }) {
        const { deliverTestNotice } = await import("../../dc/notices/notice_commands.ts");
        return endProcess(await deliverTestNotice(parseDatabaseLocation(db, cli.cwd), name, cli));
      },
    }),
    resend: defineCommand({
      meta: { name: "dc notices resend", description: "Send dead letters again" },
      details: "They are tried for another day. All or none: an unknown id refuses the call.",
      args: { ids: requiredArgument("Ids of dead letters, or all", { repeats: true }), db: DATABASE_FLAG },
      examples: { "planner dc notices resend all": "Send every dead letter again" },
      async run({ args: { ids, db }, cli }) {
        const { scheduleNoticeResend } = await import("../../dc/notices/notice_commands.ts");
        return scheduleNoticeResend(parseDatabaseLocation(db, cli.cwd), ids, cli);
      },
    }),
  },
  examples: {
    "planner dc notices test ops": "Send a trial notice to the receiver ops",
    "planner dc notices list --dead": "Show what could not be sent",
  },
});
