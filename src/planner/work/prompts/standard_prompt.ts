/** Name of the default template, which `init` writes as `.planner/prompts/standard.md` for editing. */
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

/** Name of the template for splits, which a project may replace with `.planner/prompts/split.md`. */
export const SPLIT_PROMPT_NAME = "split";

/** Default start of the split prompt, for projects without their own. */
export const SPLIT_PROMPT = `# Split {{spec.id}}: {{spec.title}}

You work in the project {{project.name}}. The spec below is too large for one piece of work:

{{spec}}

Split it into members that can each be worked and verified alone. Look at the project's files first. Change nothing: your
answer is all that is asked for.

- Each member is one coherent change, small enough to be done in one go.
- Together they do all that the spec asks, and nothing beside it; no two do the same.
- A member depends on another one only where it cannot be worked before that is done.
- Each criterion says how somebody sees that the member is done. Where a command of the project can tell, name it as
  \`verify\`: a person accepts it before it runs.
`;

/** Required end of every split prompt; planner parses the answer in this format. */
export const SPLIT_ANSWER_FORMAT = `## Your answer

End with one JSON document in a fenced code block, and nothing behind it:

\`\`\`json
{
  "members": [
    {
      "title": "One line",
      "description": "What is to be done, in Markdown without headings of level 1",
      "acceptance_criteria": [{ "criterion": "What somebody sees when it is done", "verify": "npm test -- urls" }],
      "target_files": ["path/of/a/file.ts"],
      "depends_on": []
    }
  ]
}
\`\`\`

\`members\` has at least two entries. \`depends_on\` holds the numbers of other members, the first one being 1; they form no
circle. \`target_files\` may be left out; a criterion without a command is a plain text.
`;
