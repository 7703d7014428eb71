import type { CommandFamily } from "../../../commands.ts";

export const family: CommandFamily = {
  commands: {
    list: { summary: "List notices that wait and dead letters", load: () => import("./list.ts") },
    test: { summary: "Send a trial notice", load: () => import("./test.ts") },
    resend: { summary: "Send dead letters again", load: () => import("./resend.ts") },
  },
  examples: [
    { line: "planner dc notices test ops", shows: "Send a trial notice to the receiver ops" },
    { line: "planner dc notices list --dead", shows: "Show what could not be sent" },
  ],
};
