import type { DevicePlace } from "#gen/datacenter/v1/json.ts";
import {
  FindPlacement,
  PowerBlastRadius,
  type QuestionField,
  type QuestionFields,
  RehearseFailures,
} from "#gen/datacenter/v1/questions.ts";
import { capitalize, LOAD_BASIS_ADJECTIVES } from "#words/names.ts";
import { type PortDemand, parsePortDemand } from "#words/wanted_ports.ts";
import { LOAD_BASIS_CHOICES } from "../labels.ts";
import { SCOPE_KINDS } from "../named_refs.ts";
import { convertToConstant } from "../router.ts";

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

/** A field of a page whose value is sent in an RPC request. */
interface RequestFieldRow<Field> {
  /** Name of the setting in the URL. */
  readonly setting: string;
  /** Field of the request. */
  readonly field: Field;
  readonly label: string;
  /** Placeholder text: the default, or the expected input. */
  readonly placeholder: string;
  /** Kinds of elements that the field can name. */
  readonly kinds?: readonly string[];
  /** Words in URLs with their labels, if they differ from the values of the request's field. */
  readonly labelsByWord?: Readonly<Record<string, string>>;
  /** Whether a flag is on if the URL does not contain it. */
  readonly isOnByDefault?: true;
}

/** A field with its type in the request. */
export type RequestField = RequestFieldRow<string> & { readonly asked: QuestionField };

function createRequestFields<Fields extends QuestionFields>(
  fields: Fields,
  rows: readonly RequestFieldRow<keyof Fields & string>[],
): readonly RequestField[] {
  return rows.map((row) => ({ ...row, asked: fields[row.field] as QuestionField }));
}

/** Returns the words of a field in URLs with their labels; undefined if the field accepts any text. */
export function getFieldWords({ asked, labelsByWord }: RequestField): Readonly<Record<string, string>> | undefined {
  if (asked.type === "flag") return { 0: "no", 1: "yes" };
  if (asked.type !== "choice") return undefined;
  return labelsByWord ?? Object.fromEntries(asked.values.map(convertToFieldWord));
}

function convertToFieldWord(value: string): readonly [word: string, label: string] {
  const words = value.toLowerCase();
  return [words.replaceAll("_", "-"), words.replaceAll("_", " ")];
}

/** Returns the words in URLs by setting, for fields that accept no free text. */
export function groupWordsBySetting(rows: readonly RequestField[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    rows.flatMap((row) => {
      const words = getFieldWords(row);
      return words === undefined ? [] : [[row.setting, Object.keys(words)]];
    }),
  );
}

export const PLACEMENT_RPC = "datacenter.v1.PlanningService/FindPlacement";

/** A FindPlacement request as proto JSON. */
export type PlacementRequest = Readonly<Record<string, unknown>>;

/** Returns a key of a position and its connections: positions with equal keys would be written alike. */
export function getPlaceKey({ device_code, rack_code, position_u, inlets, ports }: DevicePlace): string {
  return JSON.stringify([device_code, rack_code, position_u, inlets, ports]);
}

/** Returns the request for the page's fields, or a text about a field that must be filled in. */
export function createPlacementRequest(getValue: (name: string) => string): PlacementRequest | string {
  const [like, type] = [getValue("like"), getValue("type")];
  const isDescribed = like !== "" || type !== "";
  if (!isDescribed && (getValue("height") === "" || getValue("draw") === "")) {
    return "Fill in height and draw, or name a device to copy or a type.";
  }
  const entries: [string, unknown][] = [];
  for (const row of [...PLACEMENT_FIELDS, ...EXTRA_PLACEMENT_FIELDS]) {
    const text = getValue(row.setting);
    if (text === "") continue;
    const read = parseFieldValue(row, text);
    if (typeof read === "object" && "wrong" in read) return read.wrong;
    entries.push([row.field, read]);
  }
  return Object.fromEntries(entries);
}

interface InvalidFieldText {
  readonly wrong: string;
}

/** Converts the text of a field to the type of the request's field. */
function parseFieldValue(
  { asked, label }: RequestField,
  text: string,
): string | number | boolean | object | InvalidFieldText {
  if (asked.type === "group") return parsePortsField(text);
  if (asked.type === "flag") return text === "1";
  if (asked.type === "choice") {
    const words = text.split("|").map((word) => convertToConstant(asked.prefix, word));
    return asked.isList === true ? words : (words[0] ?? "");
  }
  if (asked.type === "text") return text;
  if (Number.isFinite(Number(text))) return Number(text);
  // The message names the field without its unit.
  return { wrong: `${label.split(",")[0]} takes a number, not “${text}”.` };
}

/** Returns the request fields that a page's settings contain. The settings must already be normalized. */
export function createRequestFromSettings(
  rows: readonly RequestField[],
  settings: URLSearchParams,
): Readonly<Record<string, unknown>> {
  const given = rows.map((row) => [row, settings.get(row.setting) || (row.isOnByDefault === true ? "1" : "")] as const);
  const named = given.filter(([, text]) => text !== "");
  return Object.fromEntries(named.map(([row, text]) => [row.field, parseFieldValue(row, text)]));
}

/** Parses a list of ports such as `2x25G, 1x1G/1000base-t`. */
function parsePortsField(text: string): readonly PortDemand[] | InvalidFieldText {
  const found: PortDemand[] = [];
  for (const part of text.split(/[,;]/).map((one) => one.trim())) {
    if (part === "") continue;
    const ports = parsePortDemand(part);
    if (ports === undefined) {
      return { wrong: `Ports are written as 2x25G, 2x25gbase-x-sfp28 or 2x25G/25gbase-x-sfp28, not “${part}”.` };
    }
    found.push(ports);
  }
  return found;
}
