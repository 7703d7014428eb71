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

export const command = defineCommand({
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
    const { printInventory } = await import("../../dc/list_inventory.ts");
    await printInventory(parseDatabaseLocation(db, cli.cwd), call, cli);
  },
});
