import { booleanFlag, integerFlag } from "../../args.ts";
import { defineCommand } from "../../command.ts";

export const command = defineCommand({
  meta: {
    name: "watch",
    description: "Merge finished work, retry failed specs and repair leftovers of killed processes, continuously",
  },
  details:
    "Runs until Ctrl-C, SIGTERM or planner_watch_stop, or until it was idle for watch.idle_timeout_minutes. Only one process watches a project; .planner/watch.pid holds its PID. Exits with 1 if another process watches or, with --once, if finished work could not be merged; with 130 after Ctrl-C, 143 after SIGTERM.",
  args: {
    once: booleanFlag("Check once, then exit"),
    "poll-interval": integerFlag(10, "Poll interval in milliseconds (overrides watch.poll_interval_ms)", {
      valueHint: "ms",
      excludes: ["--once"],
    }),
    json: booleanFlag("Print events as JSON, one per line"),
  },
  examples: {
    "planner watch": "Watch until there is nothing to do",
    "planner watch --once": "Check once, for a timer",
  },
  async run({ args: { once, "poll-interval": pollMs, json }, cli }) {
    const { runWatch } = await import("../../work/run_watch.ts");
    return runWatch(await cli.openProject(), cli, { once, pollMs: pollMs ?? null, json });
  },
});
