import {
  type Args,
  type ArgValues,
  booleanFlag,
  integerFlag,
  optionalArgument,
  requiredArgument,
  textFlag,
} from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";

const ARGS = {
  kind: requiredArgument("What to list", {
    options: [
      "sites",
      "floors",
      "rooms",
      "rows",
      "racks",
      "devices",
      "ports",
      "cables",
      "supplies",
      "cooling",
      "fabrics",
      "links",
      "types",
    ],
  }),
  words: optionalArgument("Words that each occur in a text of the row", { repeats: true }),
  db: DATABASE_FLAG,
  where: textFlag("condition", "Condition, such as rack=A01,A02 or load_pct=80..", { multiple: true }),
  sort: textFlag("column", 'Sort by this column (name); "<column> desc" reverses'),
  columns: textFlag("names", "Columns to print, separated by commas"),
  limit: integerFlag(1, "Maximum number of rows (default: all)", { alias: "n" }),
  json: booleanFlag("Print the reply as JSON"),
  csv: booleanFlag("Print the rows as CSV", { excludes: ["--json"] }),
} as const satisfies Args;

export type ListArgs = ArgValues<typeof ARGS>;

export const list = defineCommand({
  meta: { name: "dc list", description: "List racks, devices and other things" },
  details: "Conditions on several columns must all hold. --columns and --json show which columns a list has.",
  args: ARGS,
  joined: [{ flags: ["json", "csv"], summary: "Print the reply as JSON, or the rows as CSV" }],
  examples: {
    "planner dc list racks": "List all racks",
    "planner dc list devices --where rack=B03": "List the devices of a rack",
    'planner dc list supplies --sort "failover_pct desc" -n 5': "List the fullest supplies",
  },
  async run({ args: { db, ...call }, cli }) {
    const { printInventory } = await import("../../dc/print_inventory.ts");
    await printInventory(parseDatabaseLocation(db, cli.cwd), call, cli);
  },
});

export const show = defineCommand({
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
    const { printResource } = await import("../../dc/print_inventory.ts");
    await printResource(parseDatabaseLocation(db, cli.cwd), call);
  },
});
