import type { CommandFamily } from "../../../commands.ts";

export const family: CommandFamily = {
  details: "`planner dc serve --readings` asks Prometheus for readings. docs/readings.md describes the file.",
  commands: {
    check: { summary: "Show what a file of queries would take", load: () => import("./check.ts") },
  },
  examples: [{ line: "planner dc readings check readings.yaml", shows: "Ask each query once, and keep nothing" }],
};
