import { setTimeout } from "node:timers/promises";
import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "#planner/context.ts";
import { logTool } from "#planner/operations/log.ts";
import { findSpecId } from "#planner/operations/shared/find_spec.ts";
import { runTool } from "#planner/service.ts";
import { ANY_ID, booleanFlag, integerFlag, JSON_FLAG, textFlag } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { isStdoutClosed, print, printJson } from "../../output/print.ts";
import { removeEscapes } from "../../output/remove_escapes.ts";

/** Interval between checks of a followed log, in milliseconds. */
const POLL_INTERVAL_MS = 300;

/** Prints new lines of a log until the process ends or standard output is closed. */
async function followLog(context: PlannerContext, id: string, from: number): Promise<void> {
  let offset = from;
  while (!isStdoutClosed()) {
    const next = await readNewText(context, id, offset);
    print(removeEscapes(next.content));
    offset = next.byte_offset;
    if (!next.has_more) await setTimeout(POLL_INTERVAL_MS);
  }
}

async function readNewText(context: PlannerContext, id: string, offset: number) {
  try {
    return (await runTool(context, logTool, { id, offset })).value;
  } catch (error) {
    // The offset comes from an earlier read, so it can be invalid only if the log was replaced by a shorter one.
    if (!(error instanceof OperationError) || error.kind !== "invalid_argument") throw error;
    return { content: "", byte_offset: 0, has_more: true };
  }
}

export const command = defineCommand({
  meta: { name: "log", description: "Show the end of a spec's log" },
  details:
    "With --run it shows the record of a run instead: result and reason, commits, criteria with their checks, commands, tokens, cost and merged commits. --follow prints complete lines until Ctrl-C. Escape sequences of the agent are removed.",
  args: {
    id: ANY_ID,
    lines: integerFlag(0, "Maximum number of lines (default: 100)", { alias: "n" }),
    since: textFlag("time", "Start at the first line of this ISO 8601 time or later"),
    offset: integerFlag(0, "Start at this offset, the byte_offset of an earlier result", { valueHint: "bytes" }),
    follow: booleanFlag("Print new lines until Ctrl-C", { alias: "f", excludes: ["--json"] }),
    run: textFlag("n", "Show the record of this run; last for the latest", {
      excludes: ["--lines", "--since", "--offset", "--follow"],
    }),
    json: JSON_FLAG,
  },
  examples: {
    "planner log 003": "Print the last 100 lines",
    "planner log 003 -n 20 --follow": "Print the last 20 lines and follow the log",
    "planner log 003 --run last": "Show how the last run ended and why",
    "planner log 003 --since 2026-11-21T09:30:00Z": "Print at most 100 lines from that time on",
  },
  async run({ args: { id, follow, json, run, ...words }, cli }) {
    const context = await cli.openContext();
    // The id is resolved once, because a spec that is added later must not make it ambiguous.
    const fullId = await findSpecId(context, id, { archived: true });
    if (run !== undefined) {
      const { readRunRecord, formatRunRecord } = await import("../../run_record.ts");
      const kept = await readRunRecord(await context.openRuns(), fullId, run);
      return json ? printJson(kept.record) : print(formatRunRecord(kept));
    }
    const args = {
      id: fullId,
      ...Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined)),
    };
    const { value } = await runTool(context, logTool, args);
    if (json) return printJson(value);
    print(removeEscapes(value.content));
    if (follow) await followLog(context, fullId, value.byte_offset);
    else if (value.has_more) cli.note(`More lines follow: --offset ${value.byte_offset}`);
  },
});
