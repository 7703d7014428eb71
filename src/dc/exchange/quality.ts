import { lacksDraw } from "#dc/model/rack_space.ts";
import type { Cable, Device, Port, Rack } from "#dc/model/resources.ts";
import type { SourceItem } from "./items.ts";

/** A gap in the documentation that makes analyses of an inventory less certain. */
export interface QualityFinding {
  readonly code:
    | "INLET_WITHOUT_SOURCE"
    | "SOURCE_USED_TWICE"
    | "MARKED_WITHOUT_CABLE"
    | "RACK_WITHOUT_PLACE"
    | "RACKED_WITHOUT_POSITION"
    | "PDU_WITHOUT_SOURCE"
    | "DRAW_NOT_RECORDED";
  readonly message: string;
  readonly refs: readonly string[];
}

/** Completeness of an inventory: numbers of inlets, and gaps. */
export interface InventoryQuality {
  readonly inlets: number;
  readonly inletsWithSource: number;
  readonly findings: readonly QualityFinding[];
}

const MESSAGE_BY_CODE: Readonly<Record<QualityFinding["code"], string>> = {
  INLET_WITHOUT_SOURCE: "inlets without a source: what fails with them is not known",
  SOURCE_USED_TWICE: "outlets that several inlets use",
  MARKED_WITHOUT_CABLE: "ports that are marked as connected, to something that is not recorded",
  RACK_WITHOUT_PLACE: "racks without a row or a place on the floor",
  RACKED_WITHOUT_POSITION: "devices in a rack without a position",
  DRAW_NOT_RECORDED: "devices without a recorded draw, of their own or of their inlets: loads lack them",
  PDU_WITHOUT_SOURCE: "power equipment in racks without a source for any inlet",
};

/** Rates the completeness of imported items. Cost: linear in the items. */
export function rateInventoryQuality(items: readonly SourceItem[]): InventoryQuality {
  const cabled = new Set(items.flatMap((item) => (item.kind === "cable" ? listCableEndRefs(item.resource) : [])));
  const judge = new QualityCheck(cabled);
  for (const item of items) {
    if (item.kind === "device") judge.checkDevice(item.resource);
    if (item.kind === "rack") judge.rack(item.resource);
  }
  return judge.getResult();
}

function listCableEndRefs({ a, b }: Cable): readonly string[] {
  return [a, b].map(({ deviceCode, portName }) => `${deviceCode}/${portName}`);
}

class QualityCheck {
  readonly #cabledPorts: ReadonlySet<string>;
  readonly #refsByCode = new Map<QualityFinding["code"], string[]>();
  readonly #useCounts = new Map<string, number>();
  #inletCount = 0;
  #sourcedInlets = 0;

  constructor(cabled: ReadonlySet<string>) {
    this.#cabledPorts = cabled;
  }

  rack({ code, location, placement }: Rack): void {
    if (location?.row === undefined && placement === undefined) this.#addFinding("RACK_WITHOUT_PLACE", `rack:${code}`);
  }

  checkDevice(device: Device): void {
    const { code, kind, rackCode, positionU, mount, uHeight, ports = [] } = device;
    if (lacksDraw(device)) this.#addFinding("DRAW_NOT_RECORDED", `device:${code}`);
    if (rackCode !== undefined && positionU === undefined && uHeight !== 0 && mount === undefined) {
      this.#addFinding("RACKED_WITHOUT_POSITION", `device:${code}`);
    }
    const inlets = ports.filter((port) => port.kind === "POWER_IN" && port.enabled !== false);
    const sourced = inlets.filter((port) => this.#hasSource(code, port));
    this.#inletCount += inlets.length;
    this.#sourcedInlets += sourced.length;
    for (const { name, markConnected } of ports) {
      if (markConnected === true && !this.#cabledPorts.has(`${code}/${name}`))
        this.#addFinding("MARKED_WITHOUT_CABLE", `port:${code}/${name}`);
    }
    for (const port of inlets)
      if (!sourced.includes(port)) this.#addFinding("INLET_WITHOUT_SOURCE", `port:${code}/${port.name}`);
    if (kind === "RACK_PDU" && inlets.length > 0 && sourced.length === 0)
      this.#addFinding("PDU_WITHOUT_SOURCE", `device:${code}`);
  }

  #hasSource(code: string, { name, powerIn }: Port): boolean {
    const source = powerIn?.sourceRef;
    if (source !== undefined) this.#countUse(source);
    return source !== undefined || this.#cabledPorts.has(`${code}/${name}`);
  }

  getResult(): InventoryQuality {
    const findings = [...this.#refsByCode].map(([code, refs]) => ({ code, message: MESSAGE_BY_CODE[code], refs }));
    return { inlets: this.#inletCount, inletsWithSource: this.#sourcedInlets, findings };
  }

  #countUse(source: string): void {
    const count = (this.#useCounts.get(source) ?? 0) + 1;
    this.#useCounts.set(source, count);
    if (count === 2 && source.startsWith("port:")) this.#addFinding("SOURCE_USED_TWICE", source);
  }

  #addFinding(code: QualityFinding["code"], ref: string): void {
    this.#refsByCode.getOrInsert(code, []).push(ref);
  }
}
