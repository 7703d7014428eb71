import { ListWindows } from "#gen/datacenter/v1/questions.ts";
import { defineCommand } from "../../../command.ts";
import { askedFlags } from "../../../dc/asked_flags.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";

const ASKED = askedFlags("dc window list", ListWindows, {
  state: { field: "states", summary: "Windows in this state" },
  verdict: { field: "verdicts", summary: "Windows with this verdict" },
});

export const command = defineCommand({
  summary: "List windows with their verdicts",
  details: "In the order of their begin. Rules: docs/windows.md.",
  positionals: {},
  flags: {
    db: DATABASE_FLAG,
    element: { type: "string", value: "ref", summary: "Windows that take this out, itself or with what holds it" },
    ...ASKED.flags,
    "time-zone": { type: "string", value: "name", summary: "Zone of the times (the site's)" },
    json: { type: "boolean", summary: "Print the reply as JSON" },
  },
  examples: [
    { line: "planner dc window list --state planned --state begun", shows: "List what is open" },
    { line: "planner dc window list --element PDU-A01-B", shows: "List what takes a PDU out" },
  ],
  async run({ db, ...asked }, cli) {
    const { listWindows } = await import("../../../dc/stored_windows.ts");
    await listWindows(databaseOf(db, cli.cwd), { ...asked, request: ASKED.request(asked) }, cli);
  },
});
