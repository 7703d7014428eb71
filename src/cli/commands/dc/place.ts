import { resolve } from "node:path";
import { FindPlacement } from "#gen/datacenter/v1/questions.ts";
import { booleanFlag, fileFlag, integerFlag, optionalArgument } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { DATABASE_FLAG, DURING_WINDOW_FLAG, deriveRequestFlags, RENDER_FLAGS } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";

const REQUEST_FLAGS = deriveRequestFlags(FindPlacement, {
  count: { field: "count", valueHint: "count", description: "Devices to place, at most 1000 (1)" },
  type: { field: "device_type", valueHint: "code", description: "Type of the devices" },
  like: { field: "device_code", valueHint: "code", description: "Device to copy" },
  height: { field: "u_height", valueHint: "units", description: "Height in rack units, in steps of 0.5" },
  face: { field: "face", description: "Side of the rack (front)" },
  depth: { field: "depth", description: "Depth of the devices (full)" },
  weight: { field: "weight_kg", valueHint: "kg", description: "Weight of one device" },
  draw: { field: "draw_w", valueHint: "watts", least: 0, description: "Draw of one device" },
  basis: { field: "load_basis", description: "Draw (allocated)" },
  redundancy: { field: "redundancy", description: "Of each device" },
  inlets: { field: "inlets", valueHint: "count", description: "Power inlets of each device" },
  port: { field: "ports", valueHint: "ports", description: "Ports to connect, such as 2x25G" },
  cooling: { field: "cooling_method", description: "Method (air)" },
  liquid: {
    field: "liquid_fraction_pct",
    valueHint: "percent",
    least: 0,
    description: "Share of the heat that liquid removes (hybrid)",
  },
  spread: { field: "spread", description: "Spread over" },
  headroom: {
    field: "headroom_pct",
    valueHint: "percent",
    least: 0,
    description: "Share of each limit to keep free (0)",
  },
  "allow-warnings": { field: "allow_existing_warnings", description: "Use supplies that already have warnings" },
  tenant: { field: "tenant", valueHint: "name", description: "Who will use the devices" },
  during: DURING_WINDOW_FLAG,
  prefix: { field: "code_prefix", valueHint: "prefix", description: "Beginning of the new devices' codes (NEW)" },
});

export const command = defineCommand({
  meta: { name: "dc place", description: "Find where equal devices fit" },
  details:
    "Prints positions that pass every rule, the best first, and why other racks are excluded. Exits with 1 if too few are " +
    "found. Rules: docs/placement.md.",
  args: {
    scope: optionalArgument("Where to look, such as row:AMS1/1/B or rack:A01 (default: everywhere)"),
    db: DATABASE_FLAG,
    ...REQUEST_FLAGS.flags,
    limit: integerFlag(1, "Maximum number of positions (default: all)", { valueHint: "count" }),
    json: booleanFlag("Print the reply as JSON"),
    csv: booleanFlag("Print positions as CSV", { excludes: ["--json"] }),
    "apply-file": fileFlag("Write devices and cables for `planner dc import`"),
    picture: fileFlag("Draw the floor: .svg, .png, .html or .dot"),
    theme: RENDER_FLAGS.theme,
  },
  joined: [
    { flags: ["type", "like"], summary: "Device type, or a device to copy" },
    { flags: ["height", "weight", "draw"], summary: "Of each device" },
    { flags: ["inlets", "port"], summary: "Of each, such as 2 and 2x25G" },
    { flags: ["tenant", "prefix"], summary: "Tenant and code prefix (NEW)" },
    { flags: ["picture", "theme"], summary: "Draw the floor (.svg, .png, ...)" },
    { flags: ["json", "csv"], summary: "Print the reply as JSON, or the positions as CSV" },
  ],
  examples: {
    "planner dc place --count 12 --redundancy two-n": "Place servers",
    "planner dc place row:AMS1/1/B --like STO-A09-1 --count 4": "Copy a device",
  },
  async run({ args: { db, scope, picture, theme, "apply-file": applyFile, limit, json, csv, ...words }, cli }) {
    const { printPlaces } = await import("../../dc/place.ts");
    const path = (file: string | undefined) => (file === undefined ? undefined : resolve(cli.cwd, file));
    const output = { limit, json, csv, theme, picture: path(picture), applyFile: path(applyFile) };
    return printPlaces(
      parseDatabaseLocation(db, cli.cwd),
      { scope, request: REQUEST_FLAGS.buildRequest(words), ...output },
      cli,
    );
  },
});
