import { PowerBlastRadius, RehearseFailures } from "#gen/datacenter/v1/questions.ts";
import { LOAD_BASIS_LABELS } from "../labels.ts";
import { createRequestFields } from "./asked_field.ts";

/** Kinds of failing elements: words in URLs with their labels. */
export const FAILURE_KINDS = {
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

const SEVERITIES = { low: "Low and worse", medium: "Medium and worse", high: "High and worse", critical: "Critical" };
const SCOPES = ["SITE", "FLOOR", "ROOM", "ROW", "RACK"];
const [[, BASIS], ...BASES] = LOAD_BASIS_LABELS;

/** Fields about the assessment of failures, for the what-if and the rehearsal page. */
const JUDGEMENT = [
  { setting: "basis", field: "load_basis", label: "Loads by", words: Object.fromEntries(BASES), empty: BASIS },
  { setting: "cascade", field: "cascade", label: "Let overloads trip", isOn: true, empty: "" },
  { setting: "battery", field: "assume_battery", label: "Count batteries", empty: "" },
] as const;

export const POWER_FIELDS = createRequestFields(PowerBlastRadius, JUDGEMENT);

export const REHEARSAL_FIELDS = createRequestFields(RehearseFailures, [
  { setting: "scope", field: "scope_ref", label: "Where elements fail", kinds: SCOPES, empty: "AMS1/1/D" },
  { setting: "kind", field: "kinds", label: "Elements", words: FAILURE_KINDS, empty: "Supply, cooling and switches" },
  { setting: "severity", field: "min_severity", label: "Severity", words: SEVERITIES, empty: "All" },
  ...JUDGEMENT,
  { setting: "pairs", field: "pairs", label: "Two at a time", empty: "" },
]);
