import { booleanFlag, optionalArgument, requiredArgument } from "../../args.ts";
import { defineCommand, defineFamily } from "../../command.ts";
import { ADD_DEVICE_FLAGS, DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";

export const add = defineFamily({
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

export const types = defineFamily({
  meta: { name: "dc types" },
  details: "Types of devices are what new devices are built to: height, weight, ports and bays.",
  subCommands: {
    import: defineCommand({
      meta: { name: "dc types import", description: "Import a devicetype library" },
      details:
        "Reads YAML files of the community's devicetype library, in a folder and all folders below it. Reports what a file " +
        "has wrong with its line and imports the others. Exits with 1 if a file was refused.",
      args: {
        files: requiredArgument("Files and folders", { completes: "file", repeats: true }),
        db: DATABASE_FLAG,
        "dry-run": booleanFlag("Check everything, write nothing"),
        json: booleanFlag("Print findings and result as JSON lines"),
      },
      examples: {
        "planner dc types import devicetype-library/device-types/Dell": "Import one manufacturer",
        "planner dc types import device-types/ --dry-run": "Check a library",
      },
      async run({ args: { files, db, "dry-run": dryRun, json }, cli }) {
        const { importDeviceTypes } = await import("../../dc/exchange/device_types.ts");
        return importDeviceTypes(parseDatabaseLocation(db, cli.cwd), { files, dryRun, json, cwd: cli.cwd }, cli);
      },
    }),
    list: defineCommand({
      meta: { name: "dc types list", description: "List the types of devices" },
      listed: "List the types",
      details: "Words select types with each of them in code, manufacturer, model or part number.",
      args: {
        words: optionalArgument("Words to search for", { repeats: true }),
        db: DATABASE_FLAG,
        json: booleanFlag("Print whole types as JSON lines"),
      },
      examples: { "planner dc types list poweredge": "List the types with a word in their names" },
      async run({ args: { words, db, json }, cli }) {
        const { printDeviceTypes } = await import("../../dc/exchange/device_types.ts");
        await printDeviceTypes(parseDatabaseLocation(db, cli.cwd), { words, json });
      },
    }),
  },
  examples: {
    "planner dc types import devicetype-library/device-types/Dell": "Import the types of a manufacturer",
    "planner dc types list poweredge": "List the types with a word in their names",
  },
});
