import { defineCommand } from "../../command.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";
import { booleanFlag } from "../../flags.ts";

export const command = defineCommand({
  summary: "Show what is known of one thing",
  details: "Shows also what is in it: the devices of a rack, the ports of a device, the racks of a room.",
  positionals: {
    ref: {
      summary: "Its code, such as B03, its reference, such as port:SRV-B03-07/eth0, or its kind",
      required: true,
    },
    code: { summary: "Its code after the kind, as in rack B03", required: false },
  },
  flags: { db: DATABASE_FLAG, json: booleanFlag("Print one JSON document instead of text") },
  examples: [
    { line: "planner dc show B03", shows: "Show a rack and its devices" },
    { line: "planner dc show device UPS-A2", shows: "Show a device and its ports" },
  ],
  async run({ db, ...call }, cli) {
    const { printResource } = await import("../../dc/show_thing.ts");
    await printResource(parseDatabaseLocation(db, cli.cwd), call);
  },
});
