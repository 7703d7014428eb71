import { add } from "#planner/operations/add.ts";
import { runTool } from "#planner/service.ts";
import { defineCommand } from "../../command.ts";
import { plainLines } from "../../plain_text.ts";
import { print, printJson } from "../../print.ts";
import { JSON_FLAG } from "../../shared_arguments.ts";
import { textOrInput } from "../../text_input.ts";

export const command = defineCommand({
  summary: "Create a spec from a description and lint it",
  details:
    "A short line becomes the title. Of a longer text the first line or sentence becomes the title and the rest the body.",
  positionals: { description: { summary: "What is to be done; - reads it from standard input", required: true } },
  flags: {
    prompt: { type: "string", short: "p", value: "name", summary: "Prompt template in .planner/prompts" },
    json: JSON_FLAG,
  },
  examples: [
    { line: 'planner add "Refuse addresses that are no web pages"', shows: "a new pending spec" },
    { line: "planner add - < notes.txt", shows: "title and body from a file" },
  ],
  async run({ description, prompt, json }, cli) {
    const context = await cli.planner();
    const args = { description: await textOrInput(description), ...(prompt === undefined ? {} : { prompt }) };
    const { value, text } = await runTool(context, add, args);
    if (json || text === undefined) return printJson(value);
    print(`${plainLines(text)}\n`);
  },
});
