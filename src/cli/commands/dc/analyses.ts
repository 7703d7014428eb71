import { resolve } from "node:path";
import { FindPlacement, GetCapacity, RehearseFailures } from "#gen/datacenter/v1/questions.ts";
import { booleanFlag, fileFlag, integerFlag, optionalArgument } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import {
  DATABASE_FLAG,
  DURING_WINDOW_FLAG,
  deriveRequestFlags,
  LOAD_BASIS_FLAG,
  MAX_AGE_FLAG,
  RENDER_FLAGS,
} from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";

const CAPACITY_FLAGS = deriveRequestFlags(GetCapacity, {
  by: { field: "by", description: "List each of these (default: the scope)" },
  basis: LOAD_BASIS_FLAG,
  "max-age": MAX_AGE_FLAG,
  during: DURING_WINDOW_FLAG,
});

export const capacity = defineCommand({
  meta: { name: "dc capacity", description: "Show what is left, now and after one failure" },
  details:
    "Prints the power, units, cooling and ports that are left in areas, now and after the worst single failure, and which " +
    "failure that is. An area's figures hold if nothing is added elsewhere. Rules: docs/capacity.md.",
  args: {
    scope: optionalArgument("Where to look, such as room:AMS1/1/HALL-1 or rack:A01 (default: everywhere)"),
    db: DATABASE_FLAG,
    ...CAPACITY_FLAGS.flags,
    json: booleanFlag("Print the reply as JSON"),
  },
  examples: {
    "planner dc capacity --by row": "Show what is left in every row",
    "planner dc capacity row:AMS1/1/B --by rack --json": "List the racks of a row as JSON",
  },
  async run({ args: { db, scope = "", json, ...words }, cli }) {
    const { printCapacity } = await import("../../dc/capacity.ts");
    const request = { ...CAPACITY_FLAGS.buildRequest(words), scope_ref: scope };
    await printCapacity(parseDatabaseLocation(db, cli.cwd), { request, json }, cli);
  },
});

const REHEARSAL_FLAGS = deriveRequestFlags(RehearseFailures, {
  kind: { field: "kinds", description: "Fail these" },
  pairs: { field: "pairs", description: "Fail pairs; list those worse than each alone" },
  "no-cascade": { field: "cascade", clears: true, description: "Trip no overloaded source" },
  battery: { field: "assume_battery", description: "Count what a UPS carries on battery as supplied" },
  basis: LOAD_BASIS_FLAG,
  "max-age": MAX_AGE_FLAG,
  during: DURING_WINDOW_FLAG,
  "min-severity": { field: "min_severity", description: "Minimum severity (info)" },
  elements: {
    field: "max_elements",
    valueHint: "count",
    description: "Elements and losses listed per cause, to 1000 (10)",
  },
});

const { elements, ...FIRST_FLAGS } = REHEARSAL_FLAGS.flags;

export const rehearse = defineCommand({
  meta: { name: "dc rehearse", description: "Rank what every single failure would do" },
  details:
    "Fails supplies, cooling units and switches in turn, or what --kind names, and prints the causes of loss, the worst " +
    "first. Overloaded sources trip unless --no-cascade is given. Severities: docs/rehearsal.md.",
  args: {
    scope: optionalArgument("Where elements fail, such as row:AMS1/1/D or B03 (default: everywhere)"),
    db: DATABASE_FLAG,
    ...FIRST_FLAGS,
    limit: integerFlag(1, "Maximum number of causes (default: all)", { valueHint: "count" }),
    elements,
    json: booleanFlag("Print the reply as JSON"),
    csv: booleanFlag("Print causes as CSV", { excludes: ["--json"] }),
    picture: fileFlag("Draw the first cause: .svg, .png, .html or .dot"),
    theme: RENDER_FLAGS.theme,
  },
  joined: [{ flags: ["json", "csv"], summary: "Print the reply as JSON, or the causes as CSV" }],
  examples: {
    "planner dc rehearse row:AMS1/1/D --min-severity high": "List severe causes in a row",
    "planner dc rehearse --kind power --pairs": "Fail two supply elements at a time",
  },
  async run({ args: { db, scope, picture, theme, limit, json, csv, ...words }, cli }) {
    const { printRehearsal } = await import("../../dc/rehearse.ts");
    const path = picture === undefined ? undefined : resolve(cli.cwd, picture);
    const request = REHEARSAL_FLAGS.buildRequest(words);
    await printRehearsal(
      parseDatabaseLocation(db, cli.cwd),
      { scope, request, limit, json, csv, theme, picture: path },
      cli,
    );
  },
});

const PLACEMENT_FLAGS = deriveRequestFlags(FindPlacement, {
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

export const place = defineCommand({
  meta: { name: "dc place", description: "Find where equal devices fit" },
  details:
    "Prints positions that pass every rule, the best first, and why other racks are excluded. Exits with 1 if too few are " +
    "found. Rules: docs/placement.md.",
  args: {
    scope: optionalArgument("Where to look, such as row:AMS1/1/B or rack:A01 (default: everywhere)"),
    db: DATABASE_FLAG,
    ...PLACEMENT_FLAGS.flags,
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
      { scope, request: PLACEMENT_FLAGS.buildRequest(words), ...output },
      cli,
    );
  },
});
