import { resolve } from "node:path";
import { defineCommand } from "../../command.ts";
import { databaseOf } from "../../dc/database.ts";
import { RENDER_FLAGS } from "../../dc/render_flags.ts";
import { DATABASE_FLAG } from "../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Find where equal devices fit",
  details:
    "Prints positions that pass every rule, the best first, and why other racks are excluded. Exits with 1 if too few are " +
    "found. Rules: docs/placement.md.",
  positionals: {
    scope: { summary: "Where to look, such as row:AMS1/1/B or rack:A01 (default: everywhere)", required: false },
  },
  flags: {
    db: DATABASE_FLAG,
    count: { type: "integer", value: "count", least: 1, summary: "Devices to place, at most 1000 (1)" },
    type: { type: "string", value: "code", summary: "Type of the devices" },
    like: { type: "string", value: "code", summary: "Device to copy" },
    height: { type: "string", value: "units", summary: "Height in rack units, in steps of 0.5" },
    face: { type: "enum", options: ["front", "rear"], summary: "Side of the rack (front)" },
    depth: { type: "enum", options: ["full", "half"], summary: "Depth of the devices (full)" },
    weight: { type: "string", value: "kg", summary: "Weight of one device" },
    draw: { type: "integer", value: "watts", least: 0, summary: "Draw of one device" },
    basis: {
      type: "enum",
      options: ["allocated", "measured", "max"],
      summary: "Draw (allocated)",
    },
    redundancy: {
      type: "enum",
      options: ["none", "n", "n-plus-1", "two-n"],
      summary: "Of each device",
    },
    inlets: { type: "integer", value: "count", least: 1, summary: "Power inlets of each device" },
    port: {
      type: "string",
      value: "ports",
      multiple: true,
      summary: "Ports to connect, such as 2x25G",
    },
    cooling: { type: "enum", options: ["air", "liquid", "hybrid", "immersion"], summary: "Method (air)" },
    liquid: { type: "integer", value: "percent", least: 0, summary: "Share of the heat that liquid removes (hybrid)" },
    spread: {
      type: "enum",
      options: ["rack", "row", "feed"],
      multiple: true,
      summary: "Spread over",
    },
    headroom: { type: "integer", value: "percent", least: 0, summary: "Share of each limit to keep free (0)" },
    "allow-warnings": { type: "boolean", summary: "Use supplies that already have warnings" },
    tenant: { type: "string", value: "name", summary: "Who will use the devices" },
    prefix: { type: "string", value: "prefix", summary: "Beginning of the new devices' codes (NEW)" },
    limit: { type: "integer", value: "count", least: 1, summary: "Maximum number of positions (default: all)" },
    json: { type: "boolean", summary: "Print the reply as JSON" },
    csv: { type: "boolean", summary: "Print positions as CSV" },
    "apply-file": {
      type: "string",
      value: "file",
      completes: "file",
      summary: "Write devices and cables for `planner dc import`",
    },
    picture: {
      type: "string",
      value: "file",
      completes: "file",
      summary: "Draw the floor: .svg, .png, .html or .dot",
    },
    theme: RENDER_FLAGS.theme,
  },
  joined: [
    { flags: ["type", "like"], summary: "Device type, or a device to copy" },
    { flags: ["height", "weight", "draw"], summary: "Of each device" },
    { flags: ["tenant", "prefix"], summary: "Tenant and code prefix (NEW)" },
    { flags: ["picture", "theme"], summary: "Draw the floor (.svg, .png, ...)" },
    { flags: ["json", "csv"], summary: "Print the reply as JSON, or the positions as CSV" },
  ],
  examples: [
    {
      line: "planner dc place --count 12 --height 2 --draw 800",
      shows: "Place servers",
    },
    { line: "planner dc place row:AMS1/1/B --like STO-A09-1 --count 4", shows: "Copy a device" },
  ],
  async run({ db, picture, "apply-file": applyFile, ...asked }, cli) {
    const { place } = await import("../../dc/place.ts");
    const path = (file: string | undefined) => (file === undefined ? undefined : resolve(cli.cwd, file));
    return place(databaseOf(db, cli.cwd), { ...asked, picture: path(picture), applyFile: path(applyFile) }, cli);
  },
});
