import { defineCommand } from "../../command.ts";
import { parseDatabase } from "../../dc/database.ts";
import { DATABASE_FLAG } from "../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "List racks, devices and other things",
  details: "Conditions on several columns must all hold. --columns and --json show which columns a list has.",
  positionals: {
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
  },
  flags: {
    db: DATABASE_FLAG,
    where: {
      type: "string",
      value: "condition",
      multiple: true,
      summary: "Condition, such as rack=A01,A02 or load_pct=80..",
    },
    sort: { type: "string", value: "column", summary: 'Sort by this column (name); "<column> desc" reverses' },
    columns: { type: "string", value: "names", summary: "Columns to print, separated by commas" },
    limit: { type: "integer", short: "n", least: 1, summary: "Maximum number of rows (default: all)" },
    json: { type: "boolean", summary: "Print the reply as JSON" },
    csv: { type: "boolean", summary: "Print the rows as CSV", excludes: ["--json"] },
  },
  joined: [{ flags: ["json", "csv"], summary: "Print the reply as JSON, or the rows as CSV" }],
  examples: [
    { line: "planner dc list racks", shows: "List all racks" },
    { line: "planner dc list devices --where rack=B03", shows: "List the devices of a rack" },
    { line: 'planner dc list supplies --sort "failover_pct desc" -n 5', shows: "List the fullest supplies" },
  ],
  async run({ db, ...call }, cli) {
    const { printInventory } = await import("../../dc/list_inventory.ts");
    await printInventory(parseDatabase(db, cli.cwd), call, cli);
  },
});
