import { defineCommand } from "../../command.ts";
import { UsageError } from "../../usage_error.ts";

export const command = defineCommand({
  summary: "Merge finished work as it comes, try failed specs again, repair what killed processes left",
  details:
    "Runs until it is told to stop (Ctrl-C, SIGTERM, planner_watch_stop) or there was nothing to do for " +
    "watch.idle_timeout_minutes. One process watches a project: .planner/watch.pid names it. Exit status: 0 at the end of " +
    "idle time, 1 when another one watches or, with --once, when finished work could not be merged, 130 after Ctrl-C, 143 " +
    "after SIGTERM.",
  positionals: {},
  flags: {
    once: { type: "boolean", summary: "Look once and end" },
    "poll-interval": {
      type: "integer",
      least: 10,
      value: "ms",
      summary: "Milliseconds between two looks, in place of watch.poll_interval_ms",
    },
    json: { type: "boolean", summary: "Print what happens as one JSON document on each line" },
  },
  examples: [
    { line: "planner watch", shows: "until there is nothing to do" },
    { line: "planner watch --once", shows: "from a timer" },
  ],
  async run({ once, "poll-interval": pollMs, json }, cli) {
    if (once && pollMs !== undefined) throw new UsageError('Flag "--poll-interval" means nothing with "--once"', null);
    const { runWatch } = await import("../../work/run_watch.ts");
    return runWatch(await cli.project(), cli, { once, pollMs: pollMs ?? null, json });
  },
});
