import { resolve } from "node:path";
import { booleanFlag, requiredArgument } from "../../args.ts";
import { defineCommand, defineFamily } from "../../command.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";

export const command = defineFamily({
  meta: { name: "dc readings" },
  details: "`planner dc serve --readings` asks Prometheus for readings. docs/readings.md describes the file.",
  subCommands: {
    check: defineCommand({
      meta: { name: "dc readings check", description: "Show what a file of queries would take" },
      details:
        "Asks each query once. Prints how many series would be taken as readings, the first of them, and those that would " +
        "not with the reason. Keeps nothing. Exits with 1 unless every query has series and all of them would be taken.",
      args: {
        file: requiredArgument("Queries and where to ask them, in YAML or JSON", { completes: "file" }),
        db: DATABASE_FLAG,
        json: booleanFlag("Print the result as JSON"),
      },
      examples: { "planner dc readings check readings.yaml": "Ask each query once, and keep nothing" },
      async run({ args: { file, db, json }, cli }) {
        const { checkReadings } = await import("../../dc/readings/pull_readings.ts");
        return checkReadings(resolve(cli.cwd, file), parseDatabaseLocation(db, cli.cwd), { json });
      },
    }),
  },
  examples: { "planner dc readings check readings.yaml": "Ask each query once, and keep nothing" },
});
