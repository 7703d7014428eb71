/** The template that holds where none is chosen; `init` writes it as `.planner/prompts/standard.md` to start from. */
export const STANDARD_PROMPT_NAME = "standard";

export const STANDARD_PROMPT = `---
name: standard
purpose: Work one spec from its text to a commit
---

# Work on {{spec.id}}: {{spec.title}}

You work in the project {{project.name}}. The spec is the file {{spec.path}}:

{{spec}}

## How

1. Read the spec wholly, then the files it names: {{spec.target_files}}
2. Do what it asks and nothing beside it.
3. Check a criterion (\`- [x]\`) when you have seen that it holds, not before. Do not reword or remove one.
4. Run the project's own checks.
5. Write what the spec asks for as an answer under \`## Output\`.

## Tools

The MCP server \`planner\` knows this spec. Without it, the command of the same name does the same.

- \`planner_spec_get\`: the spec as it is now. \`planner_search\`: specs about the same matter.
- \`planner_spec_update\`: append an output, or set a field. \`planner check {{spec.id}} <number>\`: check one criterion.
- \`planner_verify\`: the criteria that are still open. \`planner_lint\`: mistakes in the spec's file.
- \`planner_log\`: what earlier runs did.

Do not start, merge, pause or archive work: planner does that. If you cannot finish, leave the criterion open and say why.

## Commit

Commit with a message that begins \`planner({{spec.id}}):\`.
`;
