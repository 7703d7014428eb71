import { finalizeCommand } from "#planner/operations/finalize.ts";
import { runTool } from "#planner/service.ts";
import { ACTIVE_ID, JSON_FLAG, UNPROVEN_FLAG } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { confirmClaimOptions, SHARED_CLAIM_FLAGS } from "../../consent.ts";
import { print, printJson, sanitizeLines } from "../../output/print.ts";
import { runProvingCommand } from "../../with_proofs.ts";

export const command = defineCommand({
  meta: {
    name: "finalize",
    description: "Mark a spec completed if all acceptance criteria are checked and its output matches its schema",
  },
  details:
    "Runs the checks that criteria name (`verify: <command>` below one), where the spec's worktree is or else here. On a terminal it asks first about commands that no person has accepted. Ctrl-C ends the checks and changes nothing.",
  args: { id: ACTIVE_ID, unproven: UNPROVEN_FLAG, ...SHARED_CLAIM_FLAGS, json: JSON_FLAG },
  examples: {
    "planner finalize 003": "Complete today's third spec",
    'planner finalize 003 --unproven "the server is down"': "Complete it without proof",
  },
  async run({ args: { id, unproven, json, ...wishes }, cli }) {
    const shared = await confirmClaimOptions(wishes, cli);
    return runProvingCommand(cli, [id], async (context, signal) => {
      const { value, text } = await runTool(
        context,
        finalizeCommand,
        { id, ...shared, ...(unproven === undefined ? {} : { unproven }) },
        { signal },
      );
      if (json || text === undefined) return printJson(value);
      print(`${sanitizeLines(text)}\n`);
    });
  },
});
