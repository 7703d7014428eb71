import { booleanFlag, optionalArgument, requiredArgument } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";

export const command = defineCommand({
  meta: { name: "dc show", description: "Show what is known of one thing" },
  details: "Shows also what is in it: the devices of a rack, the ports of a device, the racks of a room.",
  args: {
    ref: requiredArgument("Its code, such as B03, its reference, such as port:SRV-B03-07/eth0, or its kind"),
    code: optionalArgument("Its code after the kind, as in rack B03"),
    db: DATABASE_FLAG,
    json: booleanFlag("Print one JSON document instead of text"),
  },
  examples: {
    "planner dc show B03": "Show a rack and its devices",
    "planner dc show device UPS-A2": "Show a device and its ports",
  },
  async run({ args: { db, ...call }, cli }) {
    const { printResource } = await import("../../dc/show_thing.ts");
    await printResource(parseDatabaseLocation(db, cli.cwd), call);
  },
});
