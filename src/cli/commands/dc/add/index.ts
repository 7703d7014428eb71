import type { CommandFamily } from "../../../commands.ts";

export const family: CommandFamily = {
  details: "Adds one resource. `planner dc import` writes many, and the console edits them.",
  commands: { device: { summary: "Add a device, built to its type", load: () => import("./device.ts") } },
  examples: [
    {
      line: "planner dc add device SRV-42 --type acme-server-2u --rack A01 --position 12",
      shows: "Add a server to a rack",
    },
  ],
};
