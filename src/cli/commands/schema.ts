import { frontmatterSchema } from "#planner/config/frontmatter_schema.ts";
import { defineCommand } from "../command.ts";
import { print } from "../print.ts";

export const command = defineCommand({
  summary: "Print the JSON Schema (draft 2020-12) of a spec's frontmatter, for editors",
  details:
    "It is built from .planner/config.md: required fields, types, enums. docs/editors.md shows how editors use it.",
  positionals: {},
  flags: {},
  examples: [{ line: "planner schema > .planner/frontmatter.schema.json", shows: "a file for the editor's settings" }],
  async run(_, cli) {
    const context = await cli.planner();
    print(`${JSON.stringify(frontmatterSchema(await context.config()), null, 2)}\n`);
  },
});
