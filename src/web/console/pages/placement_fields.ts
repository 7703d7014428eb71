import { FindPlacement, PowerBlastRadius, RehearseFailures } from "#gen/datacenter/v1/questions.ts";
import { capitalize, LOAD_BASIS_ADJECTIVES } from "#words/names.ts";
import { LOAD_BASIS_CHOICES } from "../labels.ts";
import { SCOPE_KINDS } from "../named_refs.ts";
import { createRequestFields } from "./asked_field.ts";

const LOAD_BASIS_LABELS_BY_WORD = { max: LOAD_BASIS_ADJECTIVES.MAX, measured: LOAD_BASIS_ADJECTIVES.MEASURED };
const COOLING_LABELS = { air: "air", liquid: "liquid", hybrid: "air and liquid", immersion: "immersion" };
const SPREAD_LABELS = { "row|rack|feed": "rows first", "feed|rack|row": "feeds first" };
const REDUNDANCY_LABELS = { n: "one feed", "n-plus-1": "one inlet more than needed", "two-n": "both feeds" };

export const PLACEMENT_FIELDS = createRequestFields(FindPlacement, [
  { setting: "count", field: "count", label: "Count", placeholder: "1" },
  {
    setting: "type",
    field: "device_type",
    label: "Device type",
    kinds: ["DEVICE_TYPE"],
    placeholder: "code of a type",
  },
  { setting: "like", field: "device_code", label: "Like device", kinds: ["DEVICE"], placeholder: "code of a device" },
  { setting: "height", field: "u_height", label: "Height, U", placeholder: "2" },
  { setting: "draw", field: "draw_w", label: "Draw, W", placeholder: "800" },
  {
    setting: "supply",
    field: "redundancy",
    label: "Supply",
    labelsByWord: REDUNDANCY_LABELS,
    placeholder: "as demanded",
  },
  { setting: "ports", field: "ports", label: "Ports", placeholder: "2x25G, 1x1000base-t" },
  { setting: "scope", field: "scope_ref", label: "Scope", kinds: SCOPE_KINDS, placeholder: "everywhere" },
]);

const RARE_FIELDS = createRequestFields(FindPlacement, [
  { setting: "face", field: "face", label: "Face", placeholder: "as the device says, else front" },
  { setting: "depth", field: "depth", label: "Depth", placeholder: "as the device says, else full" },
  { setting: "weight", field: "weight_kg", label: "Weight, kg", placeholder: "not known" },
  {
    setting: "basis",
    field: "load_basis",
    label: "Draw is",
    labelsByWord: LOAD_BASIS_LABELS_BY_WORD,
    placeholder: LOAD_BASIS_ADJECTIVES.ALLOCATED,
  },
  { setting: "inlets", field: "inlets", label: "Inlets", placeholder: "as the supply needs" },
  {
    setting: "cooling",
    field: "cooling_method",
    label: "Cooling",
    labelsByWord: COOLING_LABELS,
    placeholder: "as the device says, else air",
  },
  { setting: "liquid", field: "liquid_fraction_pct", label: "Of it in liquid, %", placeholder: "only for hybrid" },
  {
    setting: "spread",
    field: "spread",
    label: "Spread over",
    labelsByWord: SPREAD_LABELS,
    placeholder: "racks, rows, feeds",
  },
  { setting: "headroom", field: "headroom_pct", label: "Keep free, %", placeholder: "0" },
  { setting: "tenant", field: "tenant", label: "Tenant", placeholder: "any" },
  { setting: "prefix", field: "code_prefix", label: "New codes begin with", placeholder: "NEW" },
  { setting: "warnings", field: "allow_existing_warnings", label: "Use supplies with warnings", placeholder: "" },
]);

/** Request fields that the page sets itself or does not offer, because it lists every position. */
const OMITTED_FIELDS: ReadonlySet<string> = new Set(["include_items", "max_places", "render"]);

const LABELLED_FIELDS: ReadonlySet<string> = new Set([...PLACEMENT_FIELDS, ...RARE_FIELDS].map(({ field }) => field));

/** Less frequent fields: those with a label, then every other field of the request under its own name. */
export const EXTRA_PLACEMENT_FIELDS = [
  ...RARE_FIELDS,
  ...createRequestFields(
    FindPlacement,
    (Object.keys(FindPlacement) as (keyof typeof FindPlacement)[])
      .filter((field) => !LABELLED_FIELDS.has(field) && !OMITTED_FIELDS.has(field))
      .map((field) => ({ setting: field, field, label: capitalize(field.replaceAll("_", " ")), placeholder: "" })),
  ),
];

/** Kinds of failing elements: words in URLs with their labels. */
export const FAILURE_KIND_LABELS = {
  power: "Power equipment",
  outlet: "Outlets and feeds",
  cooling: "Cooling units",
  switch: "Switches",
  inlet: "Power inlets",
  panel: "Patch panels",
  cable: "Data cables",
  link: "Fabric links",
  rack: "Racks",
  row: "Rows",
  room: "Rooms",
  zone: "Zones",
};

const SEVERITY_LABELS = {
  low: "Low and worse",
  medium: "Medium and worse",
  high: "High and worse",
  critical: "Critical",
};
const [[, DEFAULT_BASIS_LABEL], ...OTHER_BASIS_LABELS] = LOAD_BASIS_CHOICES;

/** Fields about the assessment of failures, for the what-if and the rehearsal page. */
const ASSESSMENT_FIELDS = [
  {
    setting: "basis",
    field: "load_basis",
    label: "Loads by",
    labelsByWord: Object.fromEntries(OTHER_BASIS_LABELS),
    placeholder: DEFAULT_BASIS_LABEL,
  },
  { setting: "cascade", field: "cascade", label: "Let overloads trip", isOnByDefault: true, placeholder: "" },
  { setting: "battery", field: "assume_battery", label: "Count batteries", placeholder: "" },
] as const;

export const POWER_FIELDS = createRequestFields(PowerBlastRadius, ASSESSMENT_FIELDS);

export const REHEARSAL_FIELDS = createRequestFields(RehearseFailures, [
  { setting: "scope", field: "scope_ref", label: "Where elements fail", kinds: SCOPE_KINDS, placeholder: "AMS1/1/D" },
  {
    setting: "kind",
    field: "kinds",
    label: "Elements",
    labelsByWord: FAILURE_KIND_LABELS,
    placeholder: "Supply, cooling and switches",
  },
  { setting: "severity", field: "min_severity", label: "Severity", labelsByWord: SEVERITY_LABELS, placeholder: "All" },
  ...ASSESSMENT_FIELDS,
  { setting: "pairs", field: "pairs", label: "Two at a time", placeholder: "" },
]);
