const FLAG = ["0", "1"];
const BASIS = ["measured", "max"];

/** Settings of pages that take one of some words. The address has words, never constants of the service. */
const CHOICES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  power: { basis: BASIS, cascade: FLAG, battery: FLAG },
  rehearsal: {
    kind: ["power", "outlet", "cooling", "switch"],
    severity: ["low", "medium", "high", "critical"],
    basis: BASIS,
    cascade: FLAG,
    battery: FLAG,
    pairs: FLAG,
  },
  placement: {
    supply: ["n", "n-plus-1", "two-n"],
    face: ["front", "rear"],
    depth: ["full", "half"],
    basis: BASIS,
    cooling: ["air", "liquid", "hybrid", "immersion"],
    spread: ["row|rack|feed", "feed|rack|row"],
    warnings: FLAG,
  },
  rack: { view: ["front", "rear"], coloring: ["status", "power"] },
  floor: { coloring: ["power", "thermal", "utilization"] },
  fabric: { view: ["bundles", "table"], physical: FLAG },
  trace: { branches: FLAG },
  history: {
    action: ["create", "update", "delete"],
    through: ["rest", "grpc", "graphql", "mcp", "system", "webhook"],
  },
};

interface Address {
  readonly page: string;
  readonly settings: URLSearchParams;
}

/** A setting of an address that its page does not have. */
export interface WrongWord {
  readonly name: string;
  readonly value: string;
  readonly expected: readonly string[];
}

/** The place with its words in the usual form, without those that its page does not have, which are named. */
export function readWords<Read extends Address>(
  place: Read,
): { readonly place: Read; readonly wrong: readonly WrongWord[] } {
  const settings = new URLSearchParams(place.settings);
  const wrong: WrongWord[] = [];
  for (const [name, expected] of Object.entries(CHOICES[place.page] ?? {})) {
    const value = settings.get(name) ?? "";
    const found = expected.find((word) => word === usual(value)) ?? expected.find((word) => isOldForm(value, word));
    if (value === "" || found !== undefined) {
      if (found !== undefined) settings.set(name, found);
      continue;
    }
    settings.delete(name);
    wrong.push({ name, value, expected });
  }
  return { place: { ...place, settings }, wrong };
}

function usual(value: string): string {
  return value.toLowerCase().replaceAll("_", "-");
}

/** Links of earlier versions have constants such as LOAD_BASIS_MAX. */
function isOldForm(value: string, word: string): boolean {
  return value.startsWith("LOAD_BASIS_") || value.startsWith("RENDER_VIEW_") || value.startsWith("COLORING_")
    ? usual(value).endsWith(`-${word}`)
    : false;
}

/** A word of the address as the service has it: `constantOf("LOAD_BASIS", "max")` is LOAD_BASIS_MAX. */
export function constantOf(prefix: string, word: string): string {
  return `${prefix}_${word === "" ? "UNSPECIFIED" : word.toUpperCase().replaceAll("-", "_")}`;
}
