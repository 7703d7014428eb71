import type { CommandFamily } from "../../../commands.ts";

export const family: CommandFamily = {
  details: "Types of devices are what new devices are built to: height, weight, ports and bays.",
  commands: {
    import: { summary: "Import a devicetype library", load: () => import("./import.ts") },
    list: { summary: "List the types", load: () => import("./list.ts") },
  },
  examples: [
    {
      line: "planner dc types import devicetype-library/device-types/Dell",
      shows: "Import the types of a manufacturer",
    },
    { line: "planner dc types list poweredge", shows: "List the types with a word in their names" },
  ],
};
