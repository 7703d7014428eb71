import { type Args, defineCommand, type Flags, type Positionals } from "../../command.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";
import { booleanFlag, integerFlag, textFlag } from "../../flags.ts";

const POSITIONALS = {
  kind: {
    summary: "What to list",
    required: true,
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
  },
  words: { summary: "Words that each occur in a text of the row", required: false, repeats: true },
} as const satisfies Positionals;

const FLAGS = {
  db: DATABASE_FLAG,
  where: textFlag("condition", "Condition, such as rack=A01,A02 or load_pct=80..", { multiple: true }),
  sort: textFlag("column", 'Sort by this column (name); "<column> desc" reverses'),
  columns: textFlag("names", "Columns to print, separated by commas"),
  limit: integerFlag(1, "Maximum number of rows (default: all)", { short: "n" }),
  json: booleanFlag("Print the reply as JSON"),
  csv: booleanFlag("Print the rows as CSV", { excludes: ["--json"] }),
} as const satisfies Flags;

export type ListArgs = Args<typeof POSITIONALS, typeof FLAGS>;

export const command = defineCommand({
  summary: "List racks, devices and other things",
  details: "Conditions on several columns must all hold. --columns and --json show which columns a list has.",
  positionals: POSITIONALS,
  flags: FLAGS,
  joined: [{ flags: ["json", "csv"], summary: "Print the reply as JSON, or the rows as CSV" }],
  examples: [
    { line: "planner dc list racks", shows: "List all racks" },
    { line: "planner dc list devices --where rack=B03", shows: "List the devices of a rack" },
    { line: 'planner dc list supplies --sort "failover_pct desc" -n 5', shows: "List the fullest supplies" },
  ],
  async run({ db, ...call }, cli) {
    const { printInventory } = await import("../../dc/list_inventory.ts");
    await printInventory(parseDatabaseLocation(db, cli.cwd), call, cli);
  },
});
