import { resolve } from "node:path";
import { enumFlag, optionalArgument, textFlag } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";

import { assertOutputIsNoTerminal, UsageError } from "../../usage_error.ts";

export const command = defineCommand({
  meta: { name: "dc export", description: "Write all resources as JSON Lines or CSV" },
  details: "The export is a snapshot: changes made meanwhile are not in it.",
  args: {
    output: optionalArgument("A file, or a folder for one CSV per kind (default: standard output)", {
      completes: "file",
    }),
    db: DATABASE_FLAG,
    format: enumFlag(["jsonl", "csv"], "Format (jsonl)"),
    to: enumFlag(["netbox-csv", "graphviz", "prometheus-sd", "ansible"], "Write files for another program instead", {
      excludes: ["--format", "--kind"],
    }),
    kind: textFlag("kind", "Only this kind: rack, device, crac, cable, fabric_link"),
  },
  examples: {
    "planner dc export backup.jsonl": "Write everything as JSON Lines",
    "planner dc export --to graphviz cables.dot": "Draw the cables with Graphviz",
    "planner dc export --format csv tables": "Write one CSV per kind into a folder",
  },
  async run({ args: { output, db, format: given, kind, to }, cli }) {
    assertOutputIsNoTerminal(output, "a file, or -");
    if (to !== undefined) {
      const { exportProgramFormat } = await import("../../dc/export.ts");
      const target = output === undefined || output === "-" ? undefined : resolve(cli.cwd, output);
      return void (await exportProgramFormat(parseDatabaseLocation(db, cli.cwd), { to, output: target }, cli));
    }
    const format = given ?? "jsonl";
    const { requireKind } = await import("../../dc/csv_columns.ts");
    const { exportInventory } = await import("../../dc/export.ts");
    const path = output === undefined || output === "-" ? undefined : resolve(cli.cwd, output);
    if (format === "csv" && kind === undefined && path === undefined) {
      throw new UsageError("One CSV holds one kind: expected --kind, or a folder for one file per kind");
    }
    const options = { format, kind: kind === undefined ? undefined : requireKind(kind), output: path };
    await exportInventory(parseDatabaseLocation(db, cli.cwd), options, cli);
  },
});
