import { addCommand } from "#planner/operations/add.ts";
import { runTool } from "#planner/service.ts";
import { PRIORITIES } from "#planner/spec/spec.ts";
import { enumFlag, JSON_FLAG, readTextOrInput, requiredArgument, textFlag } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { acceptTypedCommands } from "../../consent.ts";
import { printJson, sanitizeLines } from "../../output/print.ts";
import { printText } from "../../output/wrap_text.ts";
import { UsageError } from "../../usage_error.ts";

export const command = defineCommand({
  meta: { name: "add", description: "Create a spec from a description and lint it" },
  details:
    "A short line becomes the title. If the text is longer, its first line or sentence becomes the title and the rest the body.",
  args: {
    description: requiredArgument("Description of the work; - reads standard input"),
    prompt: textFlag("name", "Prompt template in .planner/prompts", { alias: "p" }),
    template: textFlag("name", "Template in .planner/templates"),
    type: textFlag("type", "Type of the spec (default: code)", { alias: "t" }),
    label: textFlag("label", "Label", { alias: "l", multiple: true }),
    "depends-on": textFlag("id", "Spec that this one depends on", { multiple: true, completes: "archived_spec" }),
    "target-file": textFlag("path", "File that the work changes", { multiple: true, completes: "file" }),
    criterion: textFlag("text", "Acceptance criterion", { multiple: true }),
    verify: textFlag(
      "command",
      "Command that proves the criterion before it; one for each criterion, an empty text for one without",
      { multiple: true },
    ),
    body: textFlag("text", "Text after the title; - reads standard input"),
    priority: enumFlag(PRIORITIES, "Priority"),
    assignee: textFlag("name", "Person who does the work"),
    due: textFlag("day", "Due day, YYYY-MM-DD"),
    json: JSON_FLAG,
  },
  examples: {
    'planner add "Refuse addresses that are no web pages"': "Create a pending spec",
    'planner add "Refuse URLs without a host" --criterion "They are refused" --verify "npm test -- urls"':
      "Name the check that proves the criterion",
    'planner add "Sell rope" --template spec': "Use the fields and text of .planner/templates/spec.md",
    "planner add - < notes.txt": "Read title and body from a file",
  },
  async run({ args: { description, body, label, criterion, verify, json, ...words }, cli }) {
    if (description === "-" && body === "-") {
      throw new UsageError("Both the description and --body are read from standard input: expected one", null);
    }
    const project = await cli.openProject();
    const { context } = project;
    const { "depends-on": dependsOn, "target-file": targetFiles, ...fields } = words;
    const { value, text } = await runTool(context, addCommand, {
      ...Object.fromEntries(Object.entries(fields).filter(([, word]) => word !== undefined)),
      ...(body === undefined ? {} : { body: await readTextOrInput(body) }),
      description: await readTextOrInput(description),
      labels: label,
      depends_on: dependsOn,
      target_files: targetFiles,
      criteria: criterion,
      checks: verify,
    });
    await acceptTypedCommands(
      project,
      verify.filter((text) => text.trim() !== "").map((text) => ({ kind: "check", text: text.trim() })),
    );
    if (json || text === undefined) return printJson(value);
    printText(`${sanitizeLines(text)}\n`);
  },
});
