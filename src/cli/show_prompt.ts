import type { SpecId } from "#planner/spec/spec_id.ts";
import { planWorktreePath } from "#planner/store/worktrees/worktree_files.ts";
import { assemblePrompt } from "#planner/work/prompts/prompt.ts";
import { findProjectName } from "./init/project_name.ts";
import type { OpenedProject } from "./open_project.ts";
import { isTerminal, print, printJson, sanitizeLines } from "./output/print.ts";

/** Prints the prompt of a run in a separate worktree, byte for byte unless the output is a terminal. */
export async function printPrompt(
  { context, root }: OpenedProject,
  id: SpecId,
  { json, warn }: { readonly json: boolean; readonly warn: (message: string) => void },
): Promise<void> {
  const [spec, { text: specText }, config] = await Promise.all([
    context.specs.load(id),
    context.specs.readText(id),
    context.readConfig(),
  ]);
  const { template, text, warnings } = await assemblePrompt(context, {
    spec,
    specText,
    config,
    projectName: config.project.name ?? findProjectName(root),
    template: null,
    folder: {
      path: planWorktreePath(root, id, config.worktree.directory),
      branch: await (await context.openRuns()).worktrees.nameBranch(id, config.defaults.branch_prefix),
      isolated: true,
    },
  });
  if (json) return printJson({ spec_id: id, template, prompt: text, warnings });
  for (const warning of warnings) warn(warning);
  print(isTerminal("stdout") ? sanitizeLines(text) : text);
}
