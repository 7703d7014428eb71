import type { Cable, Device, Port, Rack } from "#dc/model/resources.ts";
import type { SourceItem } from "./item.ts";

/** A gap in the documentation that makes analyses of an inventory less certain. */
export interface QualityFinding {
  readonly code:
    | "INLET_WITHOUT_SOURCE"
    | "SOURCE_USED_TWICE"
    | "MARKED_WITHOUT_CABLE"
    | "RACK_WITHOUT_PLACE"
    | "RACKED_WITHOUT_POSITION"
    | "PDU_WITHOUT_SOURCE";
  readonly message: string;
  readonly refs: readonly string[];
}

/** Completeness of an inventory: numbers of inlets, and gaps. */
export interface InventoryQuality {
  readonly inlets: number;
  readonly inletsWithSource: number;
  readonly findings: readonly QualityFinding[];
}

const MESSAGES: Readonly<Record<QualityFinding["code"], string>> = {
  INLET_WITHOUT_SOURCE: "inlets without a source: what fails with them is not known",
  SOURCE_USED_TWICE: "outlets that several inlets use",
  MARKED_WITHOUT_CABLE: "ports that are marked as connected, to something that is not recorded",
  RACK_WITHOUT_PLACE: "racks without a row or a place on the floor",
  RACKED_WITHOUT_POSITION: "devices in a rack without a position",
  PDU_WITHOUT_SOURCE: "power equipment in racks without a source for any inlet",
};

/** Rates the completeness of imported items. Cost: linear in the items. */
export function judgeQuality(items: readonly SourceItem[]): InventoryQuality {
  const cabled = new Set(items.flatMap((item) => (item.kind === "cable" ? listCableEndRefs(item.resource) : [])));
  const judge = new Judge(cabled);
  for (const item of items) {
    if (item.kind === "device") judge.device(item.resource);
    if (item.kind === "rack") judge.rack(item.resource);
  }
  return judge.result();
}

function listCableEndRefs({ a, b }: Cable): readonly string[] {
  return [a, b].map(({ deviceCode, portName }) => `${deviceCode}/${portName}`);
}

class Judge {
  readonly #cabled: ReadonlySet<string>;
  readonly #found = new Map<QualityFinding["code"], string[]>();
  readonly #users = new Map<string, number>();
  #inlets = 0;
  #sourced = 0;

  constructor(cabled: ReadonlySet<string>) {
    this.#cabled = cabled;
  }

  rack({ code, location, placement }: Rack): void {
    if (location?.row === undefined && placement === undefined) this.#find("RACK_WITHOUT_PLACE", `rack:${code}`);
  }

  device({ code, kind, rackCode, positionU, mount, uHeight, ports = [] }: Device): void {
    if (rackCode !== undefined && positionU === undefined && uHeight !== 0 && mount === undefined) {
      this.#find("RACKED_WITHOUT_POSITION", `device:${code}`);
    }
    const inlets = ports.filter((port) => port.kind === "POWER_IN" && port.enabled !== false);
    const sourced = inlets.filter((port) => this.#hasSource(code, port));
    this.#inlets += inlets.length;
    this.#sourced += sourced.length;
    for (const { name, markConnected } of ports) {
      if (markConnected === true && !this.#cabled.has(`${code}/${name}`))
        this.#find("MARKED_WITHOUT_CABLE", `port:${code}/${name}`);
    }
    for (const port of inlets)
      if (!sourced.includes(port)) this.#find("INLET_WITHOUT_SOURCE", `port:${code}/${port.name}`);
    if (kind === "RACK_PDU" && inlets.length > 0 && sourced.length === 0)
      this.#find("PDU_WITHOUT_SOURCE", `device:${code}`);
  }

  #hasSource(code: string, { name, powerIn }: Port): boolean {
    const source = powerIn?.sourceRef;
    if (source !== undefined) this.#use(source);
    return source !== undefined || this.#cabled.has(`${code}/${name}`);
  }

  result(): InventoryQuality {
    const findings = [...this.#found].map(([code, refs]) => ({ code, message: MESSAGES[code], refs }));
    return { inlets: this.#inlets, inletsWithSource: this.#sourced, findings };
  }

  #use(source: string): void {
    const count = (this.#users.get(source) ?? 0) + 1;
    this.#users.set(source, count);
    if (count === 2 && source.startsWith("port:")) this.#find("SOURCE_USED_TWICE", source);
  }

  #find(code: QualityFinding["code"], ref: string): void {
    const refs = this.#found.get(code) ?? [];
    this.#found.set(code, refs);
    refs.push(ref);
  }
}
