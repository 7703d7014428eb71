import { type Args, type ArgValues, booleanFlag, integerFlag, textFlag } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { ACTIVE_ID, JSON_FLAG } from "../../shared_arguments.ts";

const SPLIT_ARGS = {
  id: ACTIVE_ID,
  recursive: booleanFlag("Split members that are still too large", { alias: "r" }),
  "max-depth": integerFlag(1, "Maximum number of levels (default: 3)", { valueHint: "n", needs: ["--recursive"] }),
  force: booleanFlag("Split a spec of any status"),
  model: textFlag("name", "Model (default: the configured one)"),
  json: JSON_FLAG,
} as const satisfies Args;

export type SplitArgs = ArgValues<typeof SPLIT_ARGS>;

export const command = defineCommand({
  meta: { name: "split", description: "Let an agent split a large spec into member specs" },
  details:
    "Writes all members or none; the spec becomes their driver and keeps its status. With --recursive, members that lint reports as too large are split too. Exits with 1 if a spec was not split. --json prints `splits` of `spec_id` and `members`, and `refused` of `spec_id` and `reason`.",
  args: SPLIT_ARGS,
  examples: {
    "planner split 003": "Split today's third spec",
    "planner split 003 --recursive --max-depth 2": "Also split members that are too large",
  },
  async run({ args, cli }) {
    const project = await cli.openProject();
    const { runSplit } = await import("../../work/run_split.ts");
    return runSplit(project, cli, args);
  },
});
