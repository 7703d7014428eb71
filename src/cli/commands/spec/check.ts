import { checkCriterion } from "#planner/operations/check_criterion.ts";
import { findSpecId } from "#planner/operations/shared/find_spec.ts";
import { ACTIVE_ID, booleanFlag, JSON_FLAG, requiredArgument } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { printJson, sanitizeLine } from "../../output/print.ts";
import { printText } from "../../output/wrap_text.ts";
import { runProvingCommand } from "../../with_proofs.ts";

export const command = defineCommand({
  meta: { name: "check", description: "Check one acceptance criterion of a spec" },
  details:
    "A criterion that names a check (`verify: <command>` below it) is checked only if the command succeeds. No byte but the checkbox changes. A text that matches no criterion, or several, is rejected with the list.",
  args: {
    id: ACTIVE_ID,
    criterion: requiredArgument(
      "Number of the criterion in the list as you see it, from 1, or a part of its text that occurs in no other",
    ),
    undo: booleanFlag("Uncheck it"),
    json: JSON_FLAG,
  },
  examples: {
    "planner check 003 2": "Check the second criterion",
    'planner check 003 "documented"': "Check the criterion with this text",
    "planner check 003 2 --undo": "Uncheck the second criterion",
  },
  async run({ args: { id, criterion, undo, json }, cli }) {
    return runProvingCommand(cli, undo ? [] : [id], async (context) => {
      const spec = await findSpecId(context, id, { archived: false });
      const value = await checkCriterion(context, { id: spec, wanted: criterion, checked: !undo });
      if (json) return printJson(value);
      const done = value.checked ? "Checked" : "Unchecked";
      const all = value.not_read ?? "all are checked";
      const left = value.open === 0 ? all : [`${value.open} open`, ...[value.not_read ?? []].flat()].join("; ");
      const proof = value.proof === null ? "" : `; ${value.proof}`;
      printText(
        `${done} criterion ${value.number} of ${value.spec_id}: ${sanitizeLine(value.criterion)} (${left}${proof})\n`,
      );
    });
  },
});
