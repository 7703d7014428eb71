import { resolve } from "node:path";
import { defineCommand } from "../../command.ts";
import { databaseOf } from "../../dc/database.ts";
import { DATABASE_FLAG } from "../../dc/shared_flags.ts";
import { demandOutput, usageError } from "../../usage_error.ts";

export const command = defineCommand({
  summary: "Write or load a sample site",
  details: "The same number of racks always gives the same site. 2,000 racks hold 101,552 devices.",
  positionals: {},
  flags: {
    racks: { type: "integer", least: 1, summary: "Number of racks (40: the site AMS1)" },
    output: { type: "string", short: "o", value: "file", completes: "file", summary: "Write to this file" },
    db: { ...DATABASE_FLAG, summary: "Load into this database instead of writing JSON Lines" },
  },
  examples: [
    { line: "planner dc sample --db planner-dc.sqlite", shows: "Load the sample site into a database" },
    { line: "planner dc sample --racks 2000 -o large.jsonl", shows: "Write a large site as JSON Lines" },
  ],
  async run({ racks, output, db }, cli) {
    if (output !== undefined && db !== undefined) {
      throw usageError("dc sample", '"--output" and "--db" exclude each other');
    }
    const { loadSample, sampleSize, writeSample } = await import("../../dc/sample.ts");
    const size = sampleSize(racks);
    if (db !== undefined) return loadSample(size, databaseOf(db, cli.cwd), cli);
    demandOutput("dc sample", output, "-o <file>, --db <file>, or -o -");
    await writeSample(size, output === undefined || output === "-" ? undefined : resolve(cli.cwd, output), cli);
    return undefined;
  },
});
