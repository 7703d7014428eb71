import type { CommandFamily } from "../../../commands.ts";

export const family: CommandFamily = {
  details: "A token file holds names, roles and hashes. `planner dc serve --tokens` follows its changes.",
  commands: {
    create: { summary: "Create a token and print it", load: () => import("./create.ts") },
    list: { summary: "List names, roles and ends", load: () => import("./list.ts") },
    revoke: { summary: "Delete a token", load: () => import("./revoke.ts") },
  },
  examples: [
    { line: "planner dc token create anna --role writer --tokens tokens.json", shows: "Create a token and print it" },
    { line: "planner dc token revoke anna --tokens tokens.json", shows: "Delete it; servers notice within a second" },
  ],
};
