import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "List the types of devices",
  details: "Words select types with each of them in code, manufacturer, model or part number.",
  positionals: { words: { summary: "Words to search for", required: false, repeats: true } },
  flags: { db: DATABASE_FLAG, json: { type: "boolean", summary: "Print whole types as JSON lines" } },
  examples: [{ line: "planner dc types list poweredge", shows: "List the types with a word in their names" }],
  async run({ words, db, json }, cli) {
    const { listTypes } = await import("../../../dc/exchange/list_types.ts");
    await listTypes(databaseOf(db, cli.cwd), { words, json });
  },
});
