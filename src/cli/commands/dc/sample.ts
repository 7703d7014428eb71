import { resolve } from "node:path";
import { booleanFlag, fileFlag, integerFlag } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";
import { endProcess } from "../../exit_status.ts";
import { assertOutputIsNoTerminal } from "../../usage_error.ts";

export const command = defineCommand({
  meta: { name: "dc sample", description: "Write, load or open a sample site" },
  details:
    "The same number of racks always gives the same site. 2,000 racks hold 101,552 devices. On a terminal --output, --db or --open is required.",
  args: {
    racks: integerFlag(1, "Number of racks (40: the site AMS1)"),
    output: fileFlag("Write to this file", { alias: "o", excludes: ["--db", "--open"] }),
    db: {
      ...DATABASE_FLAG,
      description: "Load into this database instead of writing JSON Lines",
      excludes: ["--open"],
    },
    open: booleanFlag("Serve it from a temporary database and open the console"),
  },
  examples: {
    "planner dc sample --open": "Look at the sample site in the console",
    "planner dc sample --db planner-dc.sqlite": "Load the sample site into a database",
    "planner dc sample --racks 2000 -o large.jsonl": "Write a large site as JSON Lines",
  },
  async run({ args: { racks, output, db, open }, cli }) {
    const { loadSample, requireSampleSize, writeSample } = await import("../../dc/sample.ts");
    const size = requireSampleSize(racks);
    if (db !== undefined) return loadSample(size, parseDatabaseLocation(db, cli.cwd), cli);
    // Connections that browsers keep open would keep the process running.
    if (open) return endProcess(await (await import("../../dc/open_sample.ts")).openSample(size, cli));
    assertOutputIsNoTerminal(output, "-o <file>, --db <file>, --open, or -o -");
    await writeSample(size, output === undefined || output === "-" ? undefined : resolve(cli.cwd, output), cli);
    return undefined;
  },
});
