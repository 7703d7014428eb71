import type { CommandFamily } from "../../../commands.ts";

export const family: CommandFamily = {
  details: "A maintenance window takes elements out of service for a time. Rules: docs/windows.md.",
  commands: {
    add: { summary: "Store a window", load: () => import("./add.ts") },
    begin: { summary: "Say that a window has begun", load: () => import("./begin.ts") },
    cancel: { summary: "Call a window off", load: () => import("./cancel.ts") },
    check: { summary: "Ask whether elements may be switched off", load: () => import("./check.ts") },
    done: { summary: "Say that all is back", load: () => import("./done.ts") },
    export: { summary: "Write windows as an iCalendar file or JSON Lines", load: () => import("./export.ts") },
    import: { summary: "Store the windows of an iCalendar file or of JSON Lines", load: () => import("./import.ts") },
    list: { summary: "List windows with their verdicts", load: () => import("./list.ts") },
    notify: { summary: "Print a mail for each contact", load: () => import("./notify.ts") },
    sheet: { summary: "Print a run sheet", load: () => import("./sheet.ts") },
    show: { summary: "Print a window with its verdict", load: () => import("./show.ts") },
  },
  examples: [{ line: "planner dc window check PDU-A01-B --for 2h", shows: "Ask whether a PDU may be replaced now" }],
};
