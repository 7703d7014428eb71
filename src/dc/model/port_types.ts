import type { PortKind } from "./enum_values.ts";

// Type slugs come from the public device type libraries. Only families are checked; unknown slugs are allowed.

type PortTypeFamily = "interface" | "connector" | "console" | "inlet" | "outlet" | "power";

const FAMILY_PATTERNS: readonly (readonly [PortTypeFamily, RegExp])[] = [
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

const FAMILIES_BY_PORT_KIND: Readonly<Record<PortKind, readonly PortTypeFamily[]>> = {
  NETWORK: ["interface"],
  CONSOLE: ["console"],
  CONSOLE_SERVER: ["console"],
  FRONT: ["connector"],
  REAR: ["connector"],
  POWER_IN: ["inlet", "power"],
  POWER_OUT: ["outlet", "power"],
};

/** Whether a port of this kind may have this type. A slug of no known family is permitted for all kinds. */
export function isPortTypeAllowed(kind: PortKind, type: string): boolean {
  const families = FAMILY_PATTERNS.filter(([, pattern]) => pattern.test(type)).map(([family]) => family);
  return families.length === 0 || families.some((family) => FAMILIES_BY_PORT_KIND[kind].includes(family));
}

/** Whether ports of this type accept no cable. */
export function isCablelessType(type: string | undefined): boolean {
  return type === "virtual" || type === "bridge" || type === "lag" || (type?.startsWith("ieee802.") ?? false);
}

const DATA_PORT_KINDS: readonly PortKind[] = ["NETWORK", "CONSOLE", "CONSOLE_SERVER"];
const PASSIVE_PORT_KINDS: readonly PortKind[] = ["FRONT", "REAR"];

/** Whether a cable may connect ports of these kinds. Symmetric. Source: docs/contract/datacenter-rules.md#cable. */
export function canConnectPortKinds(a: PortKind, b: PortKind): boolean {
  const isPair = (one: PortKind, other: PortKind) => (a === one && b === other) || (a === other && b === one);
  if (isPair("POWER_IN", "POWER_OUT") || isPair("NETWORK", "NETWORK") || isPair("CONSOLE", "CONSOLE_SERVER"))
    return true;
  if (PASSIVE_PORT_KINDS.includes(a)) return PASSIVE_PORT_KINDS.includes(b) || DATA_PORT_KINDS.includes(b);
  return PASSIVE_PORT_KINDS.includes(b) && DATA_PORT_KINDS.includes(a);
}

const OUTLET_TYPE_BY_INLET: Readonly<Record<string, string>> = {
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
  return OUTLET_TYPE_BY_INLET[inletType];
}
