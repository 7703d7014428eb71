import type { PortKind } from "./enum_values.ts";

// Type slugs come from the public device type libraries. Only families are checked; unknown slugs are allowed.

type Family = "interface" | "connector" | "console" | "inlet" | "outlet" | "power";

const FAMILIES: readonly (readonly [Family, RegExp])[] = [
  ["inlet", /^iec-60320-c(?:6|8|14|16|18|20|22)$|^nema-.*p$/],
  ["outlet", /^iec-60320-c(?:5|7|13|15|17|19|21)$|^nema-.*r$/],
  ["power", /^(?:hardwired|dc-terminal|saf-d-grid|iec-60309-|iec-60906-|nema-|cs\d|cee-|ita-|neutrik-|eaton-|hdot-)/],
  ["console", /^(?:de-9|db-25|rj-11|rj-12|rj-45|mini-din-8)$/],
  ["interface", /^\d+(?:\.\d+)?[gmt]?base-|^(?:virtual|bridge|lag)$|^ieee802\.|^infiniband-|^\d+gfc-|^stackwise/],
  [
    "connector",
    /^(?:8p\dc|6p\dc|4p\dc|110-punch|lc|sc|fc|lsh|lx5|mpo|mtrj|cs|sn|st|bnc|f|n|mrj21|gg45|tera-|splice|urm-)/,
  ],
];

const ALLOWED: Readonly<Record<PortKind, readonly Family[]>> = {
  NETWORK: ["interface"],
  CONSOLE: ["console"],
  CONSOLE_SERVER: ["console"],
  FRONT: ["connector"],
  REAR: ["connector"],
  POWER_IN: ["inlet", "power"],
  POWER_OUT: ["outlet", "power"],
};

function listTypeFamilies(type: string): readonly Family[] {
  return FAMILIES.filter(([, pattern]) => pattern.test(type)).map(([family]) => family);
}

/** Whether a port of this kind may have this type. A slug of no known family is permitted for all kinds. */
export function isTypeAllowed(kind: PortKind, type: string): boolean {
  const families = listTypeFamilies(type);
  return families.length === 0 || families.some((family) => ALLOWED[kind].includes(family));
}

/** Whether ports of this type accept no cable. */
export function isCablelessType(type: string | undefined): boolean {
  return type === "virtual" || type === "bridge" || type === "lag" || (type?.startsWith("ieee802.") ?? false);
}

const DATA: readonly PortKind[] = ["NETWORK", "CONSOLE", "CONSOLE_SERVER"];
const PASSIVE: readonly PortKind[] = ["FRONT", "REAR"];

/** Whether a cable may connect ports of these kinds. Symmetric. Source: docs/contract/datacenter-rules.md#cable. */
export function canConnectPortKinds(a: PortKind, b: PortKind): boolean {
  const either = (one: PortKind, other: PortKind) => (a === one && b === other) || (a === other && b === one);
  if (either("POWER_IN", "POWER_OUT") || either("NETWORK", "NETWORK") || either("CONSOLE", "CONSOLE_SERVER"))
    return true;
  if (PASSIVE.includes(a)) return PASSIVE.includes(b) || DATA.includes(b);
  return PASSIVE.includes(b) && DATA.includes(a);
}

const PLUGS: Readonly<Record<string, string>> = {
  "iec-60320-c6": "iec-60320-c5",
  "iec-60320-c8": "iec-60320-c7",
  "iec-60320-c14": "iec-60320-c13",
  "iec-60320-c16": "iec-60320-c15",
  "iec-60320-c18": "iec-60320-c17",
  "iec-60320-c20": "iec-60320-c19",
  "iec-60320-c22": "iec-60320-c21",
};

/** Returns the outlet type that fits an IEC 60320 inlet type; undefined for other types. */
export function findOutletType(inletType: string): string | undefined {
  return PLUGS[inletType];
}
