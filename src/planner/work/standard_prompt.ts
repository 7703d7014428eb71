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
3. Tick a criterion (\`- [x]\`) when you have seen that it holds, not before.
4. Run the project's own checks.

## Before you commit

- [ ] The spec's frontmatter still has its id and status, and it is valid YAML.
- [ ] The status is one of pending, in_progress, completed, failed.
- [ ] Every id under depends_on exists.
- [ ] \`planner lint {{spec.id}}\` reports no error.

Commit with a message that begins \`planner({{spec.id}}):\`.
`;
