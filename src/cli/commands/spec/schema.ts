import { frontmatterSchema, SCHEMA_DRAFTS } from "#planner/config/frontmatter_schema.ts";
import { defineCommand } from "../../command.ts";
import { print } from "../../output/print.ts";

export const command = defineCommand({
  summary: "Print the JSON Schema of a spec's frontmatter, draft 2020-12, for editors",
  details:
    "Built from required fields, types and enums in .planner/config.md. docs/editors.md shows how editors use it.",
  positionals: {},
  flags: {
    draft: {
      type: "enum",
      options: SCHEMA_DRAFTS,
      summary: "Value of $schema (default: 2020-12); 07 for editors that support no later draft",
    },
  },
  examples: [
    { line: "planner schema", shows: "Print the schema" },
    {
      line: "planner schema --draft 07 > .planner/frontmatter.schema.json",
      shows: "Write a file for an editor's settings",
    },
  ],
  async run({ draft }, cli) {
    const context = await cli.planner();
    print(`${JSON.stringify(frontmatterSchema(await context.config(), draft), null, 2)}\n`);
  },
});
