import type { CommandFamily } from "../../../commands.ts";

export const family: CommandFamily = {
  details: "`planner dc migrate` alone shows the status.",
  fallback: "status",
  commands: {
    status: { summary: "Show the schema's version", load: () => import("./status.ts") },
    apply: { summary: "Update the schema", load: () => import("./apply.ts") },
  },
  examples: [
    { line: "planner dc migrate", shows: "Show the missing steps; exit with 1 if there are any" },
    { line: "planner dc migrate apply", shows: "Apply them, all or none" },
  ],
};
