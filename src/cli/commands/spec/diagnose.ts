import { diagnoseTool } from "#planner/operations/diagnose.ts";
import { runTool } from "#planner/service.ts";
import { ANY_ID, JSON_FLAG } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { paint, printJson, sanitizeLine } from "../../output/print.ts";
import { printText } from "../../output/wrap_text.ts";

export const command = defineCommand({
  meta: { name: "diagnose", description: "Check a spec's file, log, lock, commits, criteria and record" },
  details: "What is not in order comes first, with the last lines of failed checks.",
  args: { id: ANY_ID, json: JSON_FLAG },
  examples: { "planner diagnose 003": "Check today's third spec" },
  async run({ args: { id, json }, cli }) {
    const { value } = await runTool(await cli.openContext(), diagnoseTool, { id });
    if (json) printJson(value);
    else {
      const checks = value.checks.flatMap(({ name, passed, details, lines = [] }) => {
        const mark = passed ? paint("ok  ", "green") : paint("FAIL", "red");
        return [
          `  ${mark}  ${sanitizeLine(name)}: ${sanitizeLine(details)}`,
          ...lines.map((line) => `        | ${sanitizeLine(line)}`),
        ];
      });
      const suggestion = value.suggestion === null ? [] : [`Suggestion: ${sanitizeLine(value.suggestion)}`];
      const heading = `${value.spec_id} (${sanitizeLine(value.status ?? "unreadable")}, ${sanitizeLine(value.location)})`;
      printText(`${[heading, ...checks, sanitizeLine(value.diagnosis), ...suggestion].join("\n")}\n`);
    }
    return value.checks.every(({ passed }) => passed) ? EXIT_STATUS.ok : EXIT_STATUS.refused;
  },
});
