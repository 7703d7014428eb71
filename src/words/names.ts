/** Nouns that do not change. */
const INVARIABLE: ReadonlySet<string> = new Set(["switchgear", "U"]);

/** Plural of an English noun, by its ending: `switch` becomes `switches`, `battery` becomes `batteries`. */
export function plural(noun: string): string {
  if (INVARIABLE.has(noun)) return noun;
  return /(?:s|ch|x)$/i.test(noun) ? `${noun}es` : `${noun.replace(/([^aeo])y$/, "$1ie")}s`;
}

/** A count and its noun: `1 rack`, `2 racks`. @param many form for all counts but 1, if it is irregular */
export function countOf(count: number, one: string, many = plural(one)): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Lists the first names and counts the rest: `a, b and 3 more`. @param all number of all, if more exist than are given */
export function listSome(names: readonly string[], most: number, all = names.length): string {
  const listed = names.slice(0, most).join(", ");
  return all > most ? `${listed} and ${all - Math.min(most, names.length)} more` : listed;
}

/** Noun for a kind of resource, as a reference or a request names it. */
export function kindNoun(kind: string): string {
  return kind === "crac" ? "cooling unit" : kind.replaceAll("_", " ");
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Constants with an irregular spelling. */
const SPELLED: Readonly<Record<string, string>> = { TWO_N: "2N", N_PLUS_1: "N+1", GRAPHQL: "GraphQL", GRPC: "gRPC" };

const ABBREVIATION =
  /^(?:UPS|RPP|CDU|KVM|CRAC|CRAH|PDU|DAC|AOC|MMF|SMF|OM\d|OS\d|CAT\d\w?|USB|REST|MCP|ECMP|U|N|L[123]|[AB])$/;

/** A constant as a person reads it: `RACK_PDU` is "Rack PDU". */
export function constantWord(constant: string): string {
  const spelled = SPELLED[constant];
  if (spelled !== undefined) return spelled;
  const words = constant.split("_").map((word) => (ABBREVIATION.test(word) ? word : word.toLowerCase()));
  return capitalize(words.join(" "));
}

/** `DEVICE_KIND_RACK_PDU` with its prefix becomes "Rack PDU"; an unset value becomes "". */
export function enumWord(value: string | undefined, prefix: string): string {
  const bare = (value ?? "").replace(new RegExp(`^${prefix}_`), "");
  return bare === "" || bare === "UNSPECIFIED" ? "" : constantWord(bare);
}

/** Modules whose name is more than capital letters. */
const MODULES: Readonly<Record<string, string>> = { sfpp: "SFP+", qsfpp: "QSFP+", qsfpdd: "QSFP-DD" };

/** A type of port as its makers write it: `25gbase-x-sfp28` is "25G SFP28". Other texts stay as they are. */
export function portTypeWord(type: string): string {
  const [, speed = "", unit, module] = /^(\d+(?:\.\d+)?)(g?)base-x-(\w+)$/.exec(type) ?? [];
  if (module !== undefined) {
    return `${unit === "g" ? speed : Number(speed) / 1000}G ${MODULES[module] ?? module.toUpperCase()}`;
  }
  if (!/^(?:[\d.]+g?base-|iec-|nema-|(?:lc|sc|st|mpo|8p8c|lag)$)/.test(type)) return type;
  return type
    .toUpperCase()
    .replace(/^(IEC-\d+|NEMA)-/, "$1 ")
    .replace("IEC-", "IEC ");
}

/** Adjectives of the draws that can count as load. */
export const BASIS_WORDS = {
  ALLOCATED: "planned",
  MEASURED: "measured",
  MAX: "greatest",
  MEASURED_PEAK: "peak",
} as const;

/** Name in a reference, without its kind: `rack:R1` becomes `R1`. */
export function refName(ref: string): string {
  return ref.slice(ref.indexOf(":") + 1);
}

/** A message of the service with its references as names. */
export function plainRefs(message: string): string {
  return message.replaceAll(
    /\b(?:device|device_type|feed|port|cable|crac|fabric|fabric_link|rack|row|room|zone|floor|site|window):(?=\S)/g,
    "",
  );
}

/** Units by the last part of a field's name. */
const UNITS: Readonly<Record<string, string>> = {
  w: "W",
  va: "VA",
  v: "V",
  a: "A",
  kw: "kW",
  c: "°C",
  pct: "%",
  mm: "mm",
  m: "m",
  kg: "kg",
  mbps: "Mbit/s",
  m3h: "m³/h",
  s: "s",
  min: "min",
  in: "in",
  deg: "°",
  u: "U",
};

/** Names whose last part only looks like a unit. */
const UNITLESS: ReadonlySet<string> = new Set(["power_in"]);

/** Splits a field's name into its stem and its unit: `draw_w` is `draw` and W. The unit is "" if it names none. */
export function splitUnit(name: string): { readonly stem: string; readonly unit: string } {
  const cut = name.lastIndexOf("_");
  const unit = cut < 1 || UNITLESS.has(name) ? undefined : UNITS[name.slice(cut + 1)];
  return unit === undefined ? { stem: name, unit: "" } : { stem: name.slice(0, cut), unit };
}

const SHARES: ReadonlySet<string> = new Set(["POWER_NORMAL", "POWER_FAILOVER", "SPACE", "WEIGHT"]);

/** Unit of the value and the limit of a reason of health or a hotspot; "" for counts. */
export function reasonUnit(code: string): string {
  if (code.startsWith("ZONE_") || code.startsWith("RACK_WITHOUT_")) return "kW";
  if (code.startsWith("INLET_")) return "°C";
  if (code === "STALE_TELEMETRY") return "h";
  return SHARES.has(code) || code.startsWith("RACK_COOLING_") ? "%" : "";
}

// Messages of warnings that writes give and that a placement announces.

export function nearLimit(ref: string, maxUtilizationPct: number): string {
  return `"${ref}" carries more than ${maxUtilizationPct} % of its capacity`;
}

export function failoverOverload(ref: string): string {
  return `"${ref}" cannot carry what one failure would shift to it`;
}

export function phaseImbalance(ref: string): string {
  return `The phases of "${ref}" are loaded unevenly`;
}
