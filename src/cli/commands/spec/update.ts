import { updateCommand } from "#planner/operations/spec_update.ts";
import { runTool } from "#planner/service.ts";
import { PRIORITIES, UPDATE_STATUSES } from "#planner/spec/spec.ts";
import {
  ACTIVE_ID,
  type Args,
  type ArgValues,
  booleanFlag,
  enumFlag,
  JSON_FLAG,
  readTextOrInput,
  textFlag,
  UNPROVEN_FLAG,
} from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { confirmClaimOptions, SHARED_CLAIM_FLAGS } from "../../consent.ts";
import { print, printJson, sanitizeLines } from "../../output/print.ts";
import { UsageError } from "../../usage_error.ts";
import { runProvingCommand } from "../../with_proofs.ts";

const LIST_FIELDS = ["depends_on", "labels", "target_files"] as const;
const TEXT_FIELDS = ["model", "priority", "assignee", "due"] as const;

/** Names of the fields that `--clear` may empty. */
const CLEARABLE_FIELDS = [...LIST_FIELDS, ...TEXT_FIELDS] as const;

const UPDATE_ARGS = {
  id: ACTIVE_ID,
  status: enumFlag(UPDATE_STATUSES, "New status", { alias: "s" }),
  output: textFlag("text", "Text to append under ## Output; - reads standard input", { alias: "o" }),
  "replace-body": booleanFlag("Replace the body with --output instead of appending"),
  "depends-on": textFlag("id", "Spec that this one depends on", { multiple: true, completes: "archived_spec" }),
  label: textFlag("label", "Label", { multiple: true, alias: "l" }),
  "target-file": textFlag("path", "File that the work changes", { multiple: true, completes: "file" }),
  model: textFlag("name", "Model for the agent"),
  priority: enumFlag(PRIORITIES, "Priority"),
  assignee: textFlag("name", "Person who does the work"),
  due: textFlag("day", "Due day, YYYY-MM-DD"),
  clear: enumFlag(CLEARABLE_FIELDS, "Clear this field", { multiple: true, valueHint: "field" }),
  unproven: UNPROVEN_FLAG,
  ...SHARED_CLAIM_FLAGS,
  json: JSON_FLAG,
} as const satisfies Args;

/** The arguments of `planner update` that change the spec. */
type UpdateArgs = Omit<ArgValues<typeof UPDATE_ARGS>, "json" | "steal" | "offline">;

/** Converts arguments to the update tool's parameters: an unnamed field is absent, a cleared field is empty. */
export function createUpdateParameters(words: UpdateArgs): Record<string, unknown> {
  const lists = { depends_on: words["depends-on"], labels: words.label, target_files: words["target-file"] };
  const args: Record<string, unknown> = { id: words.id };
  if (words.status !== undefined) args["status"] = words.status;
  if (words.output !== undefined) args["output"] = words.output;
  if (words["replace-body"]) args["replace_body"] = true;
  if (words.unproven !== undefined) args["unproven"] = words.unproven;
  for (const name of TEXT_FIELDS) if (words[name] !== undefined) args[name] = words[name];
  for (const [field, list] of Object.entries(lists)) {
    if (list.length > 0) args[field] = list;
  }
  for (const field of words.clear) {
    if (args[field] !== undefined) throw new UsageError(`Field "${field}" is both set and cleared`, null);
    args[field] = LIST_FIELDS.some((list) => list === field) ? [] : "";
  }
  return args;
}

export const command = defineCommand({
  meta: { name: "update", description: "Change a spec's status, fields or body" },
  details:
    "Fields without a flag stay unchanged. A list flag replaces the whole list: --label api --label web leaves exactly these two.",
  args: UPDATE_ARGS,
  examples: {
    "planner update 003 --status in_progress": "Set the status of today's third spec",
    "planner update 003 --label api --clear depends_on": "Set one label, remove all dependencies",
    "planner update 003 --output - < result.txt": "Append the output of a program",
  },
  async run({ args: { json, output, steal, offline, ...args }, cli }) {
    const shared = await confirmClaimOptions({ steal, offline }, cli);
    const text = output === undefined ? undefined : await readTextOrInput(output);
    const words = { ...createUpdateParameters({ ...args, output: text }), ...shared };
    return runProvingCommand(cli, args.status === "completed" ? [args.id] : [], async (context, signal) => {
      const { value, text: sentence } = await runTool(context, updateCommand, words, { signal });
      return json ? printJson(value) : print(`${sanitizeLines(sentence ?? "")}\n`);
    });
  },
});
