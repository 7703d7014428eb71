import { DEVICE_KINDS, DEVICE_STATUSES, FACES } from "#dc/model/enum_values.ts";
import { defineMember } from "../../command.ts";
import type { CommandFamily } from "../../commands.ts";
import { enumWords } from "../../dc/asked_flags.ts";
import { databaseOf } from "../../dc/database.ts";
import { DATABASE_FLAG } from "../../dc/shared_flags.ts";

export const family: CommandFamily = {
  details: "Adds one resource. `planner dc import` writes many, and the console edits them.",
  commands: {
    device: defineMember({
      summary: "Add a device, built to its type",
      details:
        "Copies kind, height, weight, draw and ports from the type (`planner dc types list`); flags override it. Prints " +
        "warnings.",
      positionals: { code: { summary: "Code of the new device", required: true } },
      flags: {
        db: DATABASE_FLAG,
        type: { type: "string", value: "code", summary: "Type of the device" },
        kind: { type: "enum", options: enumWords(DEVICE_KINDS), summary: "Kind (default: of the type)" },
        rack: { type: "string", value: "code", summary: "Rack" },
        position: { type: "string", value: "unit", summary: "Lowest unit that it takes, in steps of 0.5" },
        face: { type: "enum", options: enumWords(FACES), summary: "Side of the rack (front with a position)" },
        chassis: { type: "string", value: "code", summary: "Chassis with a bay for it" },
        bay: { type: "string", value: "name", summary: "Bay of the chassis" },
        site: { type: "string", value: "site", summary: "Site, for a device without a rack" },
        floor: { type: "string", value: "number", summary: "Floor of the site (0)" },
        room: { type: "string", value: "room", summary: "Room of the floor" },
        name: { type: "string", value: "text", summary: "Name" },
        serial: { type: "string", value: "number", summary: "Serial number" },
        "asset-tag": { type: "string", value: "tag", summary: "Asset tag" },
        status: { type: "enum", options: enumWords(DEVICE_STATUSES), summary: "Status (active)" },
        tenant: { type: "string", value: "name", summary: "Tenant that uses it" },
        message: { type: "string", value: "text", summary: "Reason, for the change log" },
        "dry-run": { type: "boolean", summary: "Check it, write nothing" },
        json: { type: "boolean", summary: "Print the reply as JSON" },
      },
      joined: [
        { flags: ["chassis", "bay"], summary: "For a blade, in place of --rack" },
        { flags: ["site", "floor", "room"], summary: "For a device without a rack" },
        { flags: ["name", "serial", "asset-tag"], summary: "Of the device" },
        { flags: ["dry-run", "json"], summary: "Write nothing; print the reply as JSON" },
      ],
      examples: [
        {
          line: "planner dc add device SRV-42 --type acme-server-2u --rack A01 --position 12",
          shows: "Add a server to a rack",
        },
        {
          line: "planner dc add device BLADE-3 --type acme-blade --chassis ENC-1 --bay 3",
          shows: "Add a blade to its chassis",
        },
      ],
      async run({ db, ...asked }, cli) {
        const { addDevice } = await import("../../dc/add_device.ts");
        await addDevice(databaseOf(db, cli.cwd), asked, cli);
      },
    }),
  },
  examples: [
    {
      line: "planner dc add device SRV-42 --type acme-server-2u --rack A01 --position 12",
      shows: "Add a server to a rack",
    },
  ],
};
