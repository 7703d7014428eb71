import type { CommandFamily } from "../../../commands.ts";

export const family: CommandFamily = {
  details: "A maintenance window takes elements out of service for a time. Rules: docs/windows.md.",
  commands: {
    check: { summary: "Ask whether elements may be switched off", load: () => import("./check.ts") },
  },
  examples: [{ line: "planner dc window check PDU-A01-B --for 2h", shows: "Ask whether a PDU may be replaced now" }],
};
