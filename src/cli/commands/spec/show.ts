import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findSpecId } from "#planner/operations/shared/find_spec.ts";
import { specGet } from "#planner/operations/spec_get.ts";
import { runTool } from "#planner/service.ts";
import { defineCommand } from "../../command.ts";
import { print, printJson } from "../../output/print.ts";
import { renderSpec } from "../../output/spec_output.ts";
import { ANY_ID, JSON_FLAG } from "../../shared_arguments.ts";
import { UsageError } from "../../usage_error.ts";

export const command = defineCommand({
  summary: "Show the fields and the body of a spec, active or archived",
  positionals: { id: ANY_ID },
  flags: {
    prompt: { type: "boolean", summary: "Print the prompt that an agent would get" },
    raw: { type: "boolean", short: "r", summary: "Print the file byte for byte, even one that does not parse" },
    json: JSON_FLAG,
  },
  examples: [
    { line: "planner show 003", shows: "Show today's third spec" },
    { line: "planner show 003 --prompt | less", shows: "Show the prompt of a run" },
    { line: "planner show 2026-11-21-003-k3x --raw > copy.md", shows: "Copy the file" },
  ],
  async run({ id, prompt, raw, json }, cli) {
    if (raw && prompt) throw new UsageError('Flags "--prompt" and "--raw" exclude each other', null);
    if (raw && json) throw new UsageError('Flags "--raw" and "--json" exclude each other', null);
    const project = await cli.project();
    const { context, root } = project;
    if (prompt) {
      const { showPrompt } = await import("../../show_prompt.ts");
      return showPrompt(project, await findSpecId(context, id, { archived: true }), { json, warn: cli.warn });
    }
    if (raw) {
      const { file } = await context.specs.readText(await findSpecId(context, id, { archived: true }));
      return print(readFileSync(join(root, file)));
    }
    const { value } = await runTool(context, specGet, { id });
    if (json) printJson(value);
    else print(renderSpec(value));
  },
});
