import { OperationError } from "#kernel/errors.ts";
import { buildFrontmatterSchema, SCHEMA_DRAFTS } from "#planner/config/frontmatter_schema.ts";
import { findRoot, isInitialisedProject } from "#planner/store/project/places.ts";
import { AGENT_GUIDE } from "#planner/work/guide.ts";
import { loadLicences } from "#runtime/pages.ts";
import { enumFlag, requiredArgument } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { COMPLETION_SCRIPTS, SHELLS } from "../../completion/scripts.ts";
import { print } from "../../output/print.ts";

export const prime = defineCommand({
  meta: { name: "prime", description: "Print instructions for agents, for the hook that runs when a session begins" },
  details:
    'Prints nothing outside of a project, so one hook can serve all projects. `planner init --guide` writes the same text into AGENTS.md. The hook in Claude Code\'s settings: `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "planner prime"}]}]}}`',
  examples: { "planner prime": "Print the text; in Claude Code a SessionStart hook" },
  async run({ cli: { root, cwd } }) {
    const found = root ?? findRoot(cwd);
    if (found !== undefined && isInitialisedProject(found)) print(AGENT_GUIDE);
  },
});

export const licenses = defineCommand({
  meta: { name: "licenses", description: "Print the licences of everything in this executable" },
  examples: { "planner licenses | less": "Read them" },
  async run() {
    const text = await loadLicences();
    if (text === undefined) {
      throw new OperationError("failed_precondition", "The licences are not there: run `bun build.ts` in the checkout");
    }
    print(text);
  },
});

export const completion = defineCommand({
  meta: {
    name: "completion",
    description: "Print the completion script of a shell: commands, flags, their values and spec ids",
  },
  args: { shell: requiredArgument("Shell", { options: SHELLS }) },
  examples: {
    "source <(planner completion bash)": "For ~/.bashrc",
    "source <(planner completion zsh)": "For ~/.zshrc, after compinit",
    "planner completion fish | source": "For ~/.config/fish/config.fish",
    "planner completion powershell | Out-String | Invoke-Expression": "For $PROFILE",
  },
  async run({ args: { shell } }) {
    print(COMPLETION_SCRIPTS[shell]);
  },
});

export const schema = defineCommand({
  meta: { name: "schema", description: "Print the JSON Schema of a spec's frontmatter, draft 2020-12, for editors" },
  details:
    "Built from required fields, types and enums in .planner/config.md. docs/editors.md shows how editors use it.",
  args: {
    draft: enumFlag(SCHEMA_DRAFTS, "Value of $schema (default: 2020-12); 07 for editors that support no later draft"),
  },
  examples: {
    "planner schema": "Print the schema",
    "planner schema --draft 07 > .planner/frontmatter.schema.json": "Write a file for an editor's settings",
  },
  async run({ args: { draft }, cli }) {
    const context = await cli.openContext();
    print(`${JSON.stringify(buildFrontmatterSchema(await context.readConfig(), draft), null, 2)}\n`);
  },
});
