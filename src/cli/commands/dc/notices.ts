import { defineFamilyMember } from "../../command.ts";
import type { CommandFamily } from "../../commands.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";
import { endProcess } from "../../exit_status.ts";
import { booleanFlag } from "../../flags.ts";

export const family: CommandFamily = {
  commands: {
    list: defineFamilyMember({
      summary: "List notices that wait and dead letters",
      details: "Prints JSON Lines in the order of sending, each with its id, receiver, tries and the last error.",
      flags: { db: DATABASE_FLAG, dead: booleanFlag("Only dead letters") },
      examples: [{ line: "planner dc notices list --dead", shows: "Show what could not be sent" }],
      async run({ db, dead }, cli) {
        const { printNotices } = await import("../../dc/notices/notice_commands.ts");
        return printNotices(parseDatabaseLocation(db, cli.cwd), dead, cli);
      },
    }),
    test: defineFamilyMember({
      summary: "Send a trial notice",
      details:
        "The server that runs with --notify sends it. Waits for the receiver's answer; exits with 1 without one.",
      positionals: { name: { summary: "Name of the receiver", required: true } },
      flags: { db: DATABASE_FLAG },
      examples: [{ line: "planner dc notices test ops", shows: "Send a trial notice to the receiver ops" }],
      async run({ db, name }, cli) {
        const { deliverTestNotice } = await import("../../dc/notices/notice_commands.ts");
        return endProcess(await deliverTestNotice(parseDatabaseLocation(db, cli.cwd), name, cli));
      },
    }),
    resend: defineFamilyMember({
      summary: "Send dead letters again",
      details: "They are tried for another day. All or none: an unknown id refuses the call.",
      positionals: { ids: { summary: "Ids of dead letters, or all", required: true, repeats: true } },
      flags: { db: DATABASE_FLAG },
      examples: [{ line: "planner dc notices resend all", shows: "Send every dead letter again" }],
      async run({ ids, db }, cli) {
        const { scheduleNoticeResend } = await import("../../dc/notices/notice_commands.ts");
        return scheduleNoticeResend(parseDatabaseLocation(db, cli.cwd), ids, cli);
      },
    }),
  },
  examples: [
    { line: "planner dc notices test ops", shows: "Send a trial notice to the receiver ops" },
    { line: "planner dc notices list --dead", shows: "Show what could not be sent" },
  ],
};
