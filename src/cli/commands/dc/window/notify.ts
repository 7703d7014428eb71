import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Print a mail for each contact",
  details:
    "One text for each tenant and contact whose devices go off or depend on their last supply. Sends nothing. Rules: docs/windows.md.",
  positionals: { code: { summary: "Code of the window", required: true } },
  flags: {
    db: DATABASE_FLAG,
    json: { type: "boolean", summary: "Print the notices as JSON" },
  },
  examples: [{ line: "planner dc window notify MW-1", shows: "Print whom to tell what" }],
  async run({ db, ...asked }, cli) {
    const { printNotices } = await import("../../../dc/window_sheet.ts");
    await printNotices(databaseOf(db, cli.cwd), asked, cli);
  },
});
