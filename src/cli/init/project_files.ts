import type { ProviderName } from "#planner/config/config_values.ts";
import { STANDARD_PROMPT, STANDARD_PROMPT_NAME } from "#planner/work/prompts/standard_prompt.ts";
import type { SetupProposal } from "#planner/work/setup_proposals.ts";

/** A file that `init` creates, with its path below `.planner/`. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

export interface InitialSettings {
  readonly name: string;
  readonly prompts: boolean;
  /** The agent that works on specs; null for the default. */
  readonly provider: ProviderName | null;
  readonly setup: readonly SetupProposal[];
}

/** Returns a new project's files; git stores no empty folder, so each has one. Source: docs/decisions.md#s-01. */
export function listProjectFiles(first: InitialSettings): readonly ProjectFile[] {
  return [
    { path: "config.md", text: buildConfig(first) },
    { path: ".gitignore", text: GITIGNORE },
    { path: "specs/.gitkeep", text: "" },
    { path: "archive/.gitkeep", text: "" },
    { path: "prompts/.gitkeep", text: "" },
    ...(first.prompts ? [{ path: `prompts/${STANDARD_PROMPT_NAME}.md`, text: STANDARD_PROMPT }] : []),
    { path: "templates/spec.md", text: SPEC_TEMPLATE },
    { path: "schemas/.gitkeep", text: "" },
  ];
}

// Files that runs create belong to one machine; specs, archive and settings belong to the project.
const GITIGNORE = `logs/
processes/
locks/
worktrees/
watch.pid
*.tmp
`;

function buildConfig({ name, prompts, provider, setup }: InitialSettings): string {
  const lines = [
    ...(provider === null ? [] : ["  # The agent that works on specs.", `  provider: ${provider}`]),
    ...(prompts
      ? ['  # The file under prompts/ that an agent\'s task is written with, without ".md".', "  prompt: standard"]
      : []),
  ];
  const defaults = lines.length === 0 ? "" : `defaults:\n${lines.join("\n")}\n`;
  return `---
project:
  # A JSON text is YAML as well, so any name is safe here.
  name: ${JSON.stringify(name)}
${defaults}${buildWorktreeSettings(setup)}schema:
  spec:
    # Fields that every spec must have; the id comes from the file name.
    required: [status]
    fields:
      status:
        type: string
        enum: [pending, in_progress, completed, failed]
      labels:
        type: array
        items: string
validation:
  # true: a completed spec whose output does not fit its output_schema needs attention; false: it is a warning.
  strict_output_validation: false
lint:
  # Rules that are switched off: parse, required, title, type, dependency, approval, output, criteria, complexity,
  # coupling, model_waste.
  disable: []
---

# Settings of this project

\`planner config\` shows what holds, with the defaults filled in; \`planner lint\` says what is wrong here.

| Folder | What lies there |
| --- | --- |
| \`specs/\` | one Markdown file a spec; \`planner add "<title>"\` makes one |
| \`archive/\` | completed specs, moved there by \`planner archive <id>\` |
| \`prompts/\` | texts that an agent's task is written with |
| \`templates/\` | what \`planner add --template\` makes specs from |
| \`schemas/\` | JSON Schemas that a spec names as \`output_schema\` |
`;
}

function buildWorktreeSettings(setup: readonly SetupProposal[]): string {
  if (setup.length === 0) return "";
  const items = setup.map(({ command, file }) => `    # For ${file}.\n    - ${JSON.stringify(command)}\n`);
  return `worktree:\n  # What makes a new worktree build, before an agent starts in it.\n  setup:\n${items.join("")}`;
}

const SPEC_TEMPLATE = `---
status: pending
type: code
# Ids of specs that must be completed first.
depends_on: []
labels: []
# Files that the work will touch.
target_files: []
---

# What is to be done, in one line

Why it is wanted, and what there is to know before one begins.

## Acceptance Criteria

- [ ] Something that can be seen or run once it is done
- [ ] A test that fails today and passes then
`;
