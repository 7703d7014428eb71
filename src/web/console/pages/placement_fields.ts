import { FindPlacement } from "#gen/datacenter/v1/questions.ts";
import { capitalize, LOAD_BASIS_ADJECTIVES } from "#words/names.ts";
import { createRequestFields } from "./asked_field.ts";

const BASES = { max: LOAD_BASIS_ADJECTIVES.MAX, measured: LOAD_BASIS_ADJECTIVES.MEASURED };
const COOLINGS = { air: "air", liquid: "liquid", hybrid: "air and liquid", immersion: "immersion" };
const SPREADS = { "row|rack|feed": "rows first", "feed|rack|row": "feeds first" };
const SUPPLIES = { n: "one feed", "n-plus-1": "one inlet more than needed", "two-n": "both feeds" };
const SCOPES = ["SITE", "FLOOR", "ROOM", "ROW", "RACK"];

export const PLACEMENT_FIELDS = createRequestFields(FindPlacement, [
  { setting: "count", field: "count", label: "Count", empty: "1" },
  { setting: "type", field: "device_type", label: "Device type", kinds: ["DEVICE_TYPE"], empty: "code of a type" },
  { setting: "like", field: "device_code", label: "Like device", kinds: ["DEVICE"], empty: "code of a device" },
  { setting: "height", field: "u_height", label: "Height, U", empty: "2" },
  { setting: "draw", field: "draw_w", label: "Draw, W", empty: "800" },
  { setting: "supply", field: "redundancy", label: "Supply", words: SUPPLIES, empty: "as demanded" },
  { setting: "ports", field: "ports", label: "Ports", empty: "2x25G, 1x1000base-t" },
  { setting: "scope", field: "scope_ref", label: "Scope", kinds: SCOPES, empty: "everywhere" },
]);

const RARE_FIELDS = createRequestFields(FindPlacement, [
  { setting: "face", field: "face", label: "Face", empty: "as the device says, else front" },
  { setting: "depth", field: "depth", label: "Depth", empty: "as the device says, else full" },
  { setting: "weight", field: "weight_kg", label: "Weight, kg", empty: "not known" },
  { setting: "basis", field: "load_basis", label: "Draw is", words: BASES, empty: LOAD_BASIS_ADJECTIVES.ALLOCATED },
  { setting: "inlets", field: "inlets", label: "Inlets", empty: "as the supply needs" },
  {
    setting: "cooling",
    field: "cooling_method",
    label: "Cooling",
    words: COOLINGS,
    empty: "as the device says, else air",
  },
  { setting: "liquid", field: "liquid_fraction_pct", label: "Of it in liquid, %", empty: "only for hybrid" },
  { setting: "spread", field: "spread", label: "Spread over", words: SPREADS, empty: "racks, rows, feeds" },
  { setting: "headroom", field: "headroom_pct", label: "Keep free, %", empty: "0" },
  { setting: "tenant", field: "tenant", label: "Tenant", empty: "any" },
  { setting: "prefix", field: "code_prefix", label: "New codes begin with", empty: "NEW" },
  { setting: "warnings", field: "allow_existing_warnings", label: "Use supplies with warnings", empty: "" },
]);

/** Request fields that the page sets itself or does not offer, because it lists every position. */
const NOT_ASKED: ReadonlySet<string> = new Set(["include_items", "max_places", "render"]);

const NAMED: ReadonlySet<string> = new Set([...PLACEMENT_FIELDS, ...RARE_FIELDS].map(({ field }) => field));

/** Less frequent fields: those with a label, then every other field of the request under its own name. */
export const EXTRA_PLACEMENT_FIELDS = [
  ...RARE_FIELDS,
  ...createRequestFields(
    FindPlacement,
    (Object.keys(FindPlacement) as (keyof typeof FindPlacement)[])
      .filter((field) => !NAMED.has(field) && !NOT_ASKED.has(field))
      .map((field) => ({ setting: field, field, label: capitalize(field.replaceAll("_", " ")), empty: "" })),
  ),
];
