import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG, WINDOW_ELEMENTS, WINDOW_FLAGS } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Store a window",
  details: "Refused if there is one with this code. Prints the verdict. Rules: docs/windows.md.",
  positionals: {
    code: { summary: "Code of the window", required: true },
    elements: WINDOW_ELEMENTS,
  },
  flags: {
    db: DATABASE_FLAG,
    ...WINDOW_FLAGS,
    title: { type: "string", value: "text", summary: "What is done" },
    notes: { type: "string", value: "text", summary: "What people have to know" },
    owner: { type: "string", value: "name", summary: "Who does it" },
    contact: { type: "string", value: "text", summary: "How to reach them" },
  },
  examples: [
    {
      line: 'planner dc window add MW-1 PDU-A01-B --from "2099-11-28 20:00" --for 2h --title "Replace a PDU"',
      shows: "Plan the replacement of a PDU",
    },
  ],
  async run({ db, ...asked }, cli) {
    const { addWindow } = await import("../../../dc/stored_windows.ts");
    await addWindow(databaseOf(db, cli.cwd), asked, cli);
  },
});
