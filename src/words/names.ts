/** Nouns whose plural equals the singular. */
const INVARIABLE_NOUNS: ReadonlySet<string> = new Set(["switchgear", "U"]);

/** Returns the plural of an English noun, by its ending: `switch` becomes `switches`, `battery` becomes `batteries`. */
export function pluralize(noun: string): string {
  if (INVARIABLE_NOUNS.has(noun)) return noun;
  return /(?:s|ch|x)$/i.test(noun) ? `${noun}es` : `${noun.replace(/([^aeo])y$/, "$1ie")}s`;
}

/** Formats a count with its noun: `1 rack`, `2 racks`. `many` is an irregular form for all counts but 1. */
export function formatCountWithNoun(count: number, one: string, many = pluralize(one)): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Lists the first names and counts the others: `a, b and 3 more`. `all` is the total, if more exist than given. */
export function listSomeNames(names: readonly string[], most: number, all = names.length): string {
  const listed = names.slice(0, most).join(", ");
  return all > most ? `${listed} and ${all - Math.min(most, names.length)} more` : listed;
}

/** Says which of several areas a figure is of, and which areas are short: "in B, the most; short: A, C and 2 more". */
export function describeBestArea(bestRef: string, shortRefs: readonly string[], omittedShortRefs: number): string {
  const short = listSomeNames(shortRefs.map(getRefName), MAX_SHORT_NAMES, shortRefs.length + omittedShortRefs);
  return `in ${getRefName(bestRef)}, the most${short === "" ? "" : `; short: ${short}`}`;
}

const MAX_SHORT_NAMES = 3;

/** Free ports of one kind, type and speed. */
interface FreePortCount {
  readonly isOutlet: boolean;
  /** Empty if it is not recorded. */
  readonly type: string;
  readonly free: number;
}

/**
 * Lists free ports by type, the most first: "384 25G SFP28, 64 100G QSFP28 and 1 more". "none" without a free port.
 * @param most number of types to name; the others are counted
 */
export function listFreePorts(ports: readonly FreePortCount[], most: number): string {
  const freeByType = new Map<string, number>();
  for (const { isOutlet, type, free } of ports) {
    const name = type === "" ? (isOutlet ? "outlets" : "network ports") : formatPortType(type);
    if (free > 0) freeByType.set(name, (freeByType.get(name) ?? 0) + free);
  }
  const sorted = [...freeByType].sort(([, a], [, b]) => b - a).map(([name, free]) => `${free} ${name}`);
  return sorted.length === 0 ? "none" : listSomeNames(sorted, most);
}

/** Returns the noun for a kind of resource: `crac` becomes "cooling unit", `device_type` becomes "device type". */
export function getKindNoun(kind: string): string {
  return kind === "crac" ? "cooling unit" : kind.replaceAll("_", " ");
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Labels of constants that the general rule would spell wrongly. */
const SPECIAL_LABELS: Readonly<Record<string, string>> = {
  TWO_N: "2N",
  N_PLUS_1: "N+1",
  GRAPHQL: "GraphQL",
  GRPC: "gRPC",
};

const ABBREVIATION_PATTERN =
  /^(?:UPS|RPP|CDU|KVM|CRAC|CRAH|PDU|DAC|AOC|MMF|SMF|OM\d|OS\d|CAT\d\w?|USB|REST|MCP|ECMP|U|N|L[123]|[AB])$/;

/** Formats a constant for people: `RACK_PDU` becomes "Rack PDU". */
export function formatConstant(constant: string): string {
  const spelled = SPECIAL_LABELS[constant];
  if (spelled !== undefined) return spelled;
  const words = constant.split("_").map((word) => (ABBREVIATION_PATTERN.test(word) ? word : word.toLowerCase()));
  return capitalize(words.join(" "));
}

/** Formats an enum value without its prefix: `DEVICE_KIND_RACK_PDU` becomes "Rack PDU"; an unset value becomes "". */
export function formatEnum(value: string | undefined, prefix: string): string {
  const bare = (value ?? "").replace(new RegExp(`^${prefix}_`), "");
  return bare === "" || bare === "UNSPECIFIED" ? "" : formatConstant(bare);
}

/** Names of transceiver modules that differ from their type in upper case. */
const MODULE_NAMES: Readonly<Record<string, string>> = { sfpp: "SFP+", qsfpp: "QSFP+", qsfpdd: "QSFP-DD" };

/** Formats a port type as vendors write it: `25gbase-x-sfp28` becomes "25G SFP28". Returns other texts unchanged. */
export function formatPortType(type: string): string {
  const [, speed = "", unit, module] = /^(\d+(?:\.\d+)?)(g?)base-x-(\w+)$/.exec(type) ?? [];
  if (module !== undefined) {
    return `${unit === "g" ? speed : Number(speed) / 1000}G ${MODULE_NAMES[module] ?? module.toUpperCase()}`;
  }
  if (!/^(?:[\d.]+g?base-|iec-|nema-|(?:lc|sc|st|mpo|8p8c|lag)$)/.test(type)) return type;
  return type
    .toUpperCase()
    .replace(/^(IEC-\d+|NEMA)-/, "$1 ")
    .replace("IEC-", "IEC ");
}

/** Adjectives for the kinds of power draw that can count as load. */
export const LOAD_BASIS_ADJECTIVES = {
  ALLOCATED: "planned",
  MEASURED: "measured",
  MAX: "greatest",
  MEASURED_PEAK: "peak",
} as const;

/** Returns the name in a reference, without its kind: `rack:R1` becomes `R1`. */
export function getRefName(ref: string): string {
  return ref.slice(ref.indexOf(":") + 1);
}

/** Removes the kinds from all references in a message of the service. */
export function stripRefKinds(message: string): string {
  return message.replaceAll(
    /\b(?:device|device_type|feed|port|cable|crac|fabric|fabric_link|rack|row|room|zone|floor|site|window):(?=\S)/g,
    "",
  );
}

/** Units by the suffix of a field's name. */
const UNIT_BY_SUFFIX: Readonly<Record<string, string>> = {
  ...{ w: "W", va: "VA", v: "V", a: "A", kw: "kW", c: "°C", pct: "%", mm: "mm", m: "m", kg: "kg" },
  ...{ mbps: "Mbit/s", m3h: "m³/h", s: "s", min: "min", in: "in", deg: "°", u: "U" },
};

/** Field names whose suffix only looks like a unit. */
const UNITLESS_FIELDS: ReadonlySet<string> = new Set(["power_in"]);

/** Splits a field's name into stem and unit: `draw_w` becomes `draw` and W. The unit is "" if the name has none. */
export function splitUnit(name: string): { readonly stem: string; readonly unit: string } {
  const cut = name.lastIndexOf("_");
  const unit = cut < 1 || UNITLESS_FIELDS.has(name) ? undefined : UNIT_BY_SUFFIX[name.slice(cut + 1)];
  return unit === undefined ? { stem: name, unit: "" } : { stem: name.slice(0, cut), unit };
}

/** Returns the unit of a field with figures; "" for none. */
export function getUnitOfField(name: string): string {
  return name === "u_height" ? "U" : splitUnit(name).unit;
}

/** Code of the information that neither supply nor draw of some devices of a rack is recorded. */
export const POWER_NOT_RECORDED = "POWER_NOT_RECORDED";

export function hasUnrecordedPower(reasons: readonly { readonly code: string }[]): boolean {
  return reasons.some(({ code }) => code === POWER_NOT_RECORDED);
}

const PERCENT_REASONS: ReadonlySet<string> = new Set(["POWER_NORMAL", "POWER_FAILOVER", "SPACE", "WEIGHT"]);

/** Returns the unit of the value and limit of a health reason or a hotspot, by its code; "" for counts. */
export function getReasonUnit(code: string): string {
  if (code.startsWith("ZONE_") || code.startsWith("RACK_WITHOUT_")) return "kW";
  if (code.startsWith("INLET_")) return "°C";
  if (code === "STALE_TELEMETRY") return "h";
  return PERCENT_REASONS.has(code) || code.startsWith("RACK_COOLING_") ? "%" : "";
}

// Warnings that write operations and placement previews return.

export function describeNearLimit(ref: string, maxUtilizationPct: number): string {
  return `"${ref}" carries more than ${maxUtilizationPct} % of its capacity`;
}

export function describeFailoverOverload(ref: string): string {
  return `"${ref}" cannot carry what one failure would shift to it`;
}

export function describePhaseImbalance(ref: string): string {
  return `The phases of "${ref}" are loaded unevenly`;
}
