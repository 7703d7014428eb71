import { create } from "@bufbuild/protobuf";
import { CoolingMethod, Depth, Face, LoadBasis, Redundancy } from "#gen/datacenter/v1/datacenter_pb.ts";
import {
  type FindPlacementRequest,
  FindPlacementRequestSchema,
  PlacementSpread,
} from "#gen/datacenter/v1/placement_pb.ts";
import { usageError } from "../usage_error.ts";
import { enumName } from "./enum_word.ts";
import type { RenderCall } from "./render.ts";

/** What a person asks for; undefined for the defaults of the service. */
export interface PlaceCall {
  readonly scope: string | undefined;
  readonly count: number | undefined;
  readonly type: string | undefined;
  readonly like: string | undefined;
  readonly height: string | undefined;
  readonly face: "front" | "rear" | undefined;
  readonly depth: "full" | "half" | undefined;
  readonly weight: string | undefined;
  readonly draw: number | undefined;
  readonly basis: "allocated" | "measured" | "max" | undefined;
  readonly redundancy: "none" | "n" | "n-plus-1" | "two-n" | undefined;
  readonly inlets: number | undefined;
  readonly port: readonly string[];
  readonly cooling: "air" | "liquid" | "hybrid" | "immersion" | undefined;
  readonly liquid: number | undefined;
  readonly spread: readonly ("rack" | "row" | "feed")[];
  readonly headroom: number | undefined;
  readonly "allow-warnings": boolean;
  readonly tenant: string | undefined;
  readonly prefix: string | undefined;
  readonly limit: number | undefined;
  readonly json: boolean;
  readonly csv: boolean;
  /** Absolute paths; undefined for none. */
  readonly applyFile: string | undefined;
  readonly picture: string | undefined;
  /** Of the picture. */
  readonly theme: RenderCall["theme"];
}

/** The request of a call. @throws UsageError naming the flag */
export function placementRequest(call: PlaceCall): FindPlacementRequest {
  return create(FindPlacementRequestSchema, {
    scopeRef: call.scope ?? "",
    count: call.count ?? 1,
    deviceType: call.type ?? "",
    deviceCode: call.like ?? "",
    ...words(call),
    ...figures(call),
    ports: call.port.map(portsOf),
    spread: call.spread.map((one) => PlacementSpread[enumName(one)]),
    allowExistingWarnings: call["allow-warnings"],
    tenant: call.tenant ?? "",
    codePrefix: call.prefix ?? "",
    includeItems: call.json || call.applyFile !== undefined,
  });
}

function words({ face, depth, basis, redundancy, cooling }: PlaceCall) {
  return {
    ...(face !== undefined && { face: Face[enumName(face)] }),
    ...(depth !== undefined && { depth: Depth[enumName(depth)] }),
    ...(basis !== undefined && { loadBasis: LoadBasis[enumName(basis)] }),
    ...(redundancy !== undefined && { redundancy: Redundancy[enumName(redundancy)] }),
    ...(cooling !== undefined && { coolingMethod: CoolingMethod[enumName(cooling)] }),
  };
}

function figures({ height, weight, draw, inlets, liquid, headroom }: PlaceCall) {
  return {
    ...(height !== undefined && { uHeight: numberOf("--height", height) }),
    ...(weight !== undefined && { weightKg: numberOf("--weight", weight) }),
    ...(draw !== undefined && { drawW: draw }),
    ...(inlets !== undefined && { inlets }),
    ...(liquid !== undefined && { liquidFractionPct: liquid }),
    ...(headroom !== undefined && { headroomPct: headroom }),
  };
}

const PORTS = /^(\d+)x(?:(\d+(?:\.\d+)?)([GM]))?\/?([a-z0-9][a-z0-9._-]*)?$/;

/** Reads `2x25G`, `2x25gbase-x-sfp28` or both, `2x25G/25gbase-x-sfp28`. */
function portsOf(text: string) {
  const [, count, speed, unit, type] = PORTS.exec(text) ?? [];
  if (count === undefined || (speed === undefined && type === undefined)) {
    const expected = "expected <count>x<speed or type>, such as 2x25G or 2x25gbase-x-sfp28";
    throw usageError("dc place", `Wrong value "${text}" for "--port": ${expected}`);
  }
  return {
    count: Number(count),
    type: type ?? "",
    ...(speed !== undefined && { speedMbps: Number(speed) * (unit === "G" ? 1000 : 1) }),
  };
}

function numberOf(flag: string, text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw usageError("dc place", `Wrong value "${text}" for "${flag}": expected a number`);
}
