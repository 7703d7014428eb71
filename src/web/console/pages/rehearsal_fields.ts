import { PowerBlastRadius, RehearseFailures } from "#gen/datacenter/v1/questions.ts";
import { LOAD_BASIS_CHOICES } from "../labels.ts";
import { SCOPE_KINDS } from "../named_refs.ts";
import { createRequestFields } from "./asked_field.ts";

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
