import { slugFrom } from "../codes.ts";

/** What the headers of NetBox's tables call fields that are named otherwise. */
const HEADERS: Readonly<Record<string, string>> = {
  device_role: "role",
  rack_role: "role",
  type_of_rack: "type",
  height: "u_height",
  u_height_u: "u_height",
  full_depth: "is_full_depth",
  tag: "tags",
  reports_to: "parent",
  circuit_id: "cid",
  mac: "mac_address",
  management_only: "mgmt_only",
  feed_leg_phase: "feed_leg",
  starting_unit_u: "starting_unit",
};

/** The field that a column's header names: `Device type` is `device_type`. */
export function fieldOfHeader(header: string): string {
  const plain = header
    .trim()
    .toLowerCase()
    .replace(/\([^)]*\)/g, "")
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  return HEADERS[plain] ?? plain;
}

/** Labels of interface types and of a few other choices, whose slugs cannot be derived from the label. */
const LABELS: Readonly<Record<string, string>> = {
  "sfp (1ge)": "1000base-x-sfp",
  "gbic (1ge)": "1000base-x-gbic",
  "sfp+ (10ge)": "10gbase-x-sfpp",
  "xfp (10ge)": "10gbase-x-xfp",
  "sfp28 (25ge)": "25gbase-x-sfp28",
  "qsfp+ (40ge)": "40gbase-x-qsfpp",
  "qsfp28 (100ge)": "100gbase-x-qsfp28",
  "qsfp56 (200ge)": "200gbase-x-qsfp56",
  "qsfp-dd (400ge)": "400gbase-x-qsfpdd",
  "osfp (400ge)": "400gbase-x-osfp",
  "link aggregation group (lag)": "lag",
  "parent/child": "",
  c14: "iec-60320-c14",
  c20: "iec-60320-c20",
  c13: "iec-60320-c13",
  c19: "iec-60320-c19",
};

/** A choice as NetBox stores it: CSV exports show its label. */
export function choiceOfLabel(label: string): string {
  const text = label.trim().toLowerCase();
  const known = Object.hasOwn(LABELS, text) ? LABELS[text] : undefined;
  if (known !== undefined) return known;
  return slugFrom(text.replace(/\s*\([^)]*\)\s*$/, "").replace(/\s+/g, "-")) ?? "";
}

/** Yes and no, as tables show them. */
export function flagOfText(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (["true", "yes", "1", "✔", "on"].includes(word)) return true;
  return ["false", "no", "0", "✘", "off"].includes(word) ? false : undefined;
}
