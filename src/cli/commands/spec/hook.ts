import { getSelfCommand } from "#runtime/self_command.ts";
import { JSON_FLAG, requiredArgument } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { requireRepository } from "../../git/repository.ts";
import { type HookState, installHook, readHookState, uninstallHook } from "../../hook/hook_file.ts";
import { printJson, sanitizeLines } from "../../output/print.ts";
import { printText } from "../../output/wrap_text.ts";

export const command = defineCommand({
  meta: { name: "hook", description: "Check the staged specs before each git commit" },
  details:
    "install writes git's pre-commit hook; an existing hook is kept and runs first. The hook runs `planner lint --staged` if files under .planner/ are staged. It uses this executable, otherwise the one on PATH, and rejects the commit if neither exists. uninstall restores the previous hook. status exits with 1 if the hook does not check this project. With husky, lefthook, pre-commit or prek the check is added to their configuration and only warns if planner is not on PATH; for a file that is not edited, the lines to add are printed.",
  args: { action: requiredArgument("Action", { options: ["install", "uninstall", "status"] }), json: JSON_FLAG },
  examples: {
    "planner hook install": "Check specs before each commit",
    "planner hook status": "Check whether the hook is installed",
  },
  async run({ args: { action, json }, cli }) {
    const { root } = await cli.openProject();
    const repository = await requireRepository(root);
    const changed =
      action === "install"
        ? await installHook(repository, getSelfCommand())
        : action === "uninstall" && (await uninstallHook(repository));
    const state = await readHookState(repository);
    if (state.shared && state.installed) {
      cli.warn(`Other repositories use "${state.path}" too; where there is no .planner/ it does nothing`);
    }
    if (state.installed && state.activate !== null) {
      cli.warn(`git does not call ${state.manager} in this checkout yet: run \`${state.activate}\``);
    }
    const [self = ""] = getSelfCommand().map((word) => word.replaceAll("\\", "/"));
    if (state.program !== null && state.program.replaceAll("\\", "/") !== self) {
      cli.warn(`The hook runs "${state.program}", this is "${self}": \`planner hook install\` changes it to this one`);
    }
    if (json) printJson({ ...state, changed });
    else printText(sanitizeLines(`${describeHookState(action, changed, state)}\n`));
    return action === "status" && !state.installed ? EXIT_STATUS.refused : EXIT_STATUS.ok;
  },
});

function describeHookState(action: "install" | "uninstall" | "status", changed: boolean, state: HookState): string {
  const { path, installed, kept } = state;
  if (!installed)
    return changed ? `Removed the check from ${path}` : `Not installed: ${path} does not check this project`;
  const first = kept === null ? "" : `; ${kept} runs first`;
  if (action === "status" || !changed) return `Installed: ${path}${first}`;
  return `Wrote ${path}${first}`;
}
