import type { CommandFamily } from "../../../commands.ts";

export const family: CommandFamily = {
  commands: {
    verify: { summary: "Verify the change log", load: () => import("./verify.ts") },
    archive: { summary: "Move old entries to a signed file", load: () => import("./archive.ts") },
    history: { summary: "Print changes as JSON Lines", load: () => import("./history.ts") },
    "dead-letters": {
      summary: "List change feed events that were not understood",
      load: () => import("./dead_letters.ts"),
    },
    replay: { summary: "Process dead letters again", load: () => import("./replay.ts") },
    drop: { summary: "Delete dead letters", load: () => import("./drop.ts") },
  },
  examples: [
    { line: "planner dc audit verify", shows: "Check the change log" },
    { line: "planner dc audit history entity=device:SRV-A01-01", shows: "Show the changes of a device" },
  ],
};
