import { requiredArgument } from "../../args.ts";
import { defineCommand, defineFamily } from "../../command.ts";
import { ADD_DEVICE_FLAGS } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";

export const command = defineFamily({
  meta: { name: "dc add" },
  details: "Adds one resource. `planner dc import` writes many, and the console edits them.",
  subCommands: {
    device: defineCommand({
      meta: { name: "dc add device", description: "Add a device, built to its type" },
      details:
        "Copies kind, height, weight, draw and ports from the type (`planner dc types list`); flags override it. Prints " +
        "warnings.",
      args: { code: requiredArgument("Code of the new device"), ...ADD_DEVICE_FLAGS },
      joined: [
        { flags: ["chassis", "bay"], summary: "For a blade, in place of --rack" },
        { flags: ["site", "floor", "room"], summary: "For a device without a rack" },
        { flags: ["name", "serial", "asset-tag"], summary: "Of the device" },
        { flags: ["dry-run", "json"], summary: "Write nothing; print the reply as JSON" },
      ],
      examples: {
        "planner dc add device SRV-42 --type acme-server-2u --rack A01 --position 12": "Add a server to a rack",
        "planner dc add device BLADE-3 --type acme-blade --chassis ENC-1 --bay 3": "Add a blade to its chassis",
      },
      async run({ args: { db, ...asked }, cli }) {
        const { addDevice } = await import("../../dc/add_device.ts");
        await addDevice(parseDatabaseLocation(db, cli.cwd), asked, cli);
      },
    }),
  },
  examples: { "planner dc add device SRV-42 --type acme-server-2u --rack A01 --position 12": "Add a server to a rack" },
});
