/** `DEVICE_KIND_RACK_PDU` with its prefix becomes "Rack PDU"; an unset value becomes "". */
export function enumWord(value: string | undefined, prefix: string): string {
  const bare = (value ?? "").replace(new RegExp(`^${prefix}_`), "");
  if (bare === "" || bare === "UNSPECIFIED") return "";
  return sentence(bare);
}

/** What the field writes in its own way. */
const SPELLED: Readonly<Record<string, string>> = { TWO_N: "2N", N_PLUS_1: "N+1", GRAPHQL: "GraphQL", GRPC: "gRPC" };

const ABBREVIATION = /^(?:UPS|RPP|CDU|KVM|CRAC|CRAH|PDU|DAC|AOC|MMF|SMF|OM\d|OS\d|CAT\d\w?|REST|MCP|N|[AB])$/;

function sentence(bare: string): string {
  const spelled = SPELLED[bare];
  if (spelled !== undefined) return spelled;
  const words = bare.split("_").map((word) => (ABBREVIATION.test(word) ? word : word.toLowerCase()));
  const text = words.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A constant such as REDUNDANCY_UNMET as words. */
export function constantWord(code: string): string {
  return sentence(code);
}

const numbers = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function count(value: number | undefined): string {
  return value === undefined ? "–" : whole.format(value);
}

/** A number with its noun, which takes an s for all but one. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${value === 1 ? noun : `${noun}s`}`;
}

export function decimal(value: number | undefined, unit = ""): string {
  if (value === undefined) return "–";
  return unit === "" ? numbers.format(value) : `${numbers.format(value)} ${unit}`;
}

export function percent(value: number | undefined): string {
  return value === undefined ? "–" : `${numbers.format(value)} %`;
}

/** Watts, from a kilowatt on as kilowatts. */
export function watts(value: number | undefined): string {
  if (value === undefined) return "–";
  return Math.abs(value) < 1000 ? `${whole.format(value)} W` : `${numbers.format(value / 1000)} kW`;
}

/** Megabits per second, from a gigabit on as gigabits. */
export function bandwidth(mbps: number | undefined): string {
  if (mbps === undefined) return "–";
  if (mbps >= 1_000_000) return `${numbers.format(mbps / 1_000_000)} Tbit/s`;
  return mbps >= 1000 ? `${numbers.format(mbps / 1000)} Gbit/s` : `${numbers.format(mbps)} Mbit/s`;
}

export function seconds(value: number): string {
  return value < 120 ? `${whole.format(value)} s` : `${numbers.format(value / 60)} min`;
}

const moments = new Intl.DateTimeFormat(undefined, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "shortOffset",
});

/** A moment in the reader's own time zone, with how far that is from UTC. */
export function moment(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : moments.format(date).replace("GMT", "UTC");
}

const times = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit", timeZoneName: "shortOffset" });

/** The time of day in the reader's own time zone. */
export function timeOfDay(milliseconds: number): string {
  return times.format(milliseconds).replace("GMT", "UTC");
}

/** A moment as everybody writes it who compares logs: `2026-03-05 14:07:09.120 UTC`. */
export function utcMoment(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : date.toISOString().replace("T", " ").replace("Z", " UTC");
}

/** Which draw counts as load, by the word in the address. */
export const LOAD_BASES = [
  ["", "Planned draw"],
  ["measured", "Measured draw"],
  ["max", "Greatest draw"],
] as const;

/** What a reference names, without its kind. */
export function refName(ref: string): string {
  return ref.slice(ref.indexOf(":") + 1);
}

/** A message of the service with its references as names. */
export function plainRefs(message: string): string {
  return message.replaceAll(
    /\b(?:device|device_type|feed|port|cable|crac|fabric|fabric_link|rack|row|room|zone|floor|site):(?=\S)/g,
    "",
  );
}

interface PortEnd {
  readonly device_code: string;
  readonly port_name: string;
}

export function portRef({ device_code, port_name }: PortEnd): string {
  return `port:${device_code}/${port_name}`;
}

export function portName({ device_code, port_name }: PortEnd): string {
  return `${device_code} ${port_name}`;
}
