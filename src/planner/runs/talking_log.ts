import type { RunLog } from "#planner/run_ports/logs.ts";
import type { SpecId } from "../spec/spec_id.ts";
import type { RunDeps } from "./run_types.ts";

/** Opens a log that reports its lines as events: the spec's own would take checks for another run, and their output for the agent's. */
export function talkingLog({ tell }: RunDeps, id: SpecId): RunLog {
  const say = (text: string): void => tell({ event: "output", spec_id: id, text });
  return {
    file: null,
    line: async (text) => say(text),
    printed: async (lines) => lines.forEach(say),
    flush: async () => {},
    end: async () => {},
  };
}
