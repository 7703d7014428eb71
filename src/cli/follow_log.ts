import { setTimeout } from "node:timers/promises";
import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "#planner/context.ts";
import { log } from "#planner/operations/log.ts";
import { runTool } from "#planner/service.ts";
import { withoutEscapes } from "./output/plain_text.ts";
import { print, stdoutClosed } from "./output/print.ts";

/** Interval between checks of a followed log, in milliseconds. */
const LOOK_EVERY_MS = 300;

/** Prints what is added to a log, line by line, until the process ends or standard output is closed. */
export async function followLog(context: PlannerContext, id: string, from: number): Promise<void> {
  let offset = from;
  while (!stdoutClosed()) {
    const next = await readOn(context, id, offset);
    print(withoutEscapes(next.content));
    offset = next.byte_offset;
    if (!next.has_more) await setTimeout(LOOK_EVERY_MS);
  }
}

async function readOn(context: PlannerContext, id: string, offset: number) {
  try {
    return (await runTool(context, log, { id, offset })).value;
  } catch (error) {
    // The offset is our own, so only a log that was replaced by a shorter one can make it wrong.
    if (!(error instanceof OperationError) || error.kind !== "invalid_argument") throw error;
    return { content: "", byte_offset: 0, has_more: true };
  }
}
