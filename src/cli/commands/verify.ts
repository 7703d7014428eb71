import { verify } from "#planner/operations/verify.ts";
import { runTool } from "#planner/service.ts";
import { defineCommand } from "../command.ts";
import { EXIT_STATUS } from "../exit_status.ts";
import { plainLine } from "../plain_text.ts";
import { print, printJson } from "../print.ts";
import { ANY_ID, JSON_FLAG } from "../words.ts";

export const command = defineCommand({
  summary: "Tell which acceptance criteria of a spec are checked; exit status 1 unless all are",
  positionals: { id: ANY_ID },
  flags: { json: JSON_FLAG },
  examples: [
    { line: "planner verify 003", shows: "the open criteria of today's third spec" },
    { line: "planner verify 003 --json", shows: "the same for a program" },
  ],
  async run({ id, json }, cli) {
    const { value } = await runTool(await cli.planner(), verify, { id });
    if (json) printJson(value);
    else {
      const { checked, total } = value.criteria;
      const lines = [`${value.spec_id}: ${checked} of ${total} criteria checked`, ...value.unchecked_items];
      print([...lines, value.verification_notes, ""].map(plainLine).join("\n"));
    }
    return value.verified ? EXIT_STATUS.ok : EXIT_STATUS.refused;
  },
});
