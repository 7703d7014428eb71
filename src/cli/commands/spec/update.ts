import { updatePlanned } from "#planner/operations/spec_update.ts";
import { runTool } from "#planner/service.ts";
import { PRIORITIES } from "#planner/spec/planning.ts";
import { UPDATE_STATUSES } from "#planner/spec/status.ts";
import { defineCommand } from "../../command.ts";
import { print, printJson } from "../../print.ts";
import { ACTIVE_ID, JSON_FLAG } from "../../shared_arguments.ts";
import { textOrInput } from "../../text_input.ts";
import { CLEARABLE, updateArgs } from "../../update_args.ts";

const texts = (value: string, summary: string) => ({ type: "string", multiple: true, value, summary }) as const;

export const command = defineCommand({
  summary: "Change a spec's status, fields or body; only what is given changes",
  details: "A list flag gives the whole new list: --label api --label web leaves exactly these two.",
  positionals: { id: ACTIVE_ID },
  flags: {
    status: { type: "enum", short: "s", options: UPDATE_STATUSES, summary: "New status" },
    output: {
      type: "string",
      short: "o",
      value: "text",
      summary: "Text to append under ## Output; - reads standard input",
    },
    "replace-body": { type: "boolean", summary: "Replace the body by --output in place of appending" },
    "depends-on": { ...texts("id", "Spec that this one waits for"), completes: "archived_spec" },
    label: { ...texts("label", "Label"), short: "l" },
    "target-file": { ...texts("path", "File that the work touches"), completes: "file" },
    model: { type: "string", value: "name", summary: "Model to work it with" },
    priority: { type: "enum", options: PRIORITIES, summary: "How urgent the work is" },
    assignee: { type: "string", value: "name", summary: "Who does the work" },
    due: { type: "string", value: "day", summary: "Day when it must be done, YYYY-MM-DD" },
    clear: {
      type: "enum",
      multiple: true,
      value: "field",
      options: CLEARABLE,
      summary: "Empty this field",
    },
    json: JSON_FLAG,
  },
  examples: [
    { line: "planner update 003 --status in_progress", shows: "begin today's third spec" },
    { line: "planner update 003 --label api --clear depends_on", shows: "one label, no dependencies" },
    { line: "planner update 003 --output - < result.txt", shows: "append what a program printed" },
  ],
  async run({ json, output, ...args }, cli) {
    const context = await cli.planner();
    const text = output === undefined ? undefined : await textOrInput(output);
    const { value, text: sentence } = await runTool(context, updatePlanned, updateArgs({ ...args, output: text }));
    return json ? printJson(value) : print(`${sentence}\n`);
  },
});
