import { findSpecId } from "#planner/operations/find_spec.ts";
import { defineCommand } from "../../command.ts";
import { ACTIVE_ID, JSON_FLAG } from "../../shared_arguments.ts";
import { UsageError } from "../../usage_error.ts";

export const command = defineCommand({
  summary: "Let an agent split a large spec into member specs",
  details:
    "The members are written all or none; the spec becomes a driver of them and keeps its status. With --recursive, " +
    "members that lint finds too large are split as well. Exit status 1 when the spec, or one of those, was not split.",
  positionals: { id: ACTIVE_ID },
  flags: {
    recursive: { type: "boolean", short: "r", summary: "Split members that are still too large" },
    "max-depth": { type: "integer", least: 1, value: "n", summary: "With --recursive: most levels; 3 without it" },
    force: { type: "boolean", summary: "Split whatever the spec's status" },
    model: { type: "string", value: "name", summary: "The model, in place of the configured one" },
    json: JSON_FLAG,
  },
  examples: [
    { line: "planner split 003", shows: "members of today's third spec" },
    { line: "planner split 003 --recursive --max-depth 2", shows: "and members of those that are too large" },
  ],
  async run({ id, recursive, "max-depth": maxDepth, force, model, json }, cli) {
    if (maxDepth !== undefined && !recursive) {
      throw new UsageError('Flag "--max-depth" means nothing without "--recursive"', null);
    }
    const project = await cli.project();
    const { runSplit } = await import("../../work/run_split.ts");
    return runSplit(project, cli, {
      id: await findSpecId(project.context, id, { archived: false }),
      recursive,
      maxDepth: maxDepth ?? null,
      force,
      model: model ?? null,
      json,
    });
  },
});
