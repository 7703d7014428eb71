import { selfCommand } from "#runtime/self_command.ts";
import { defineCommand } from "../../command.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { requireRepository } from "../../git/repository.ts";
import { type HookState, hookState, installHook, uninstallHook } from "../../hook/hook_file.ts";
import { plainLines } from "../../plain_text.ts";
import { print, printJson } from "../../print.ts";
import { JSON_FLAG } from "../../shared_arguments.ts";

export const command = defineCommand({
  summary: "Check the staged specs before each git commit",
  details:
    "install writes git's pre-commit hook; one that is there already is kept and runs first. The hook runs " +
    "`planner lint --staged` when something under .planner/ is staged, with this program or, where it is gone, the one on " +
    "PATH; without either it refuses the commit. uninstall brings the kept hook back. status ends with 1 where the hook " +
    "does not check this project. Where husky, lefthook or pre-commit manage the hooks, their own file gets the check, which " +
    "warns if planner is not on PATH.",
  positionals: {
    action: { summary: "What to do", required: true, options: ["install", "uninstall", "status"] },
  },
  flags: { json: JSON_FLAG },
  examples: [
    { line: "planner hook install", shows: "check specs before each commit" },
    { line: "planner hook status", shows: "whether that is so" },
  ],
  async run({ action, json }, cli) {
    const { root } = await cli.project();
    const repository = await requireRepository(root);
    const changed =
      action === "install"
        ? await installHook(repository, selfCommand())
        : action === "uninstall" && (await uninstallHook(repository));
    const state = await hookState(repository);
    if (state.shared && state.installed) {
      cli.warn(`Other repositories use "${state.path}" too; where there is no .planner/ it does nothing`);
    }
    if (state.installed && state.activate !== null) {
      cli.warn(`git does not call ${state.manager} in this checkout yet: run "${state.activate}"`);
    }
    if (json) printJson({ ...state, changed });
    else print(plainLines(`${sentence(action, changed, state)}\n`));
    return action === "status" && !state.installed ? EXIT_STATUS.refused : EXIT_STATUS.ok;
  },
});

function sentence(action: "install" | "uninstall" | "status", changed: boolean, state: HookState): string {
  const { path, installed, kept } = state;
  if (!installed)
    return changed ? `Removed the check from ${path}` : `Not installed: ${path} does not check this project`;
  const first = kept === null ? "" : `; ${kept} runs first`;
  if (action === "status" || !changed) return `Installed: ${path}${first}`;
  return `Wrote ${path}${first}`;
}
