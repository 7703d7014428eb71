import { type DeviceKind, LOAD_BASES, type LoadBasis } from "./enum_values.ts";
import type { Crac, Device, DeviceBody, Port, PowerIn, PowerOut } from "./resources.ts";

/** Kinds of devices whose purpose is to supply other devices. */
const POWER_KINDS: ReadonlySet<unknown> = new Set<DeviceKind>([
  "UTILITY",
  "GENERATOR",
  "SWITCHGEAR",
  "TRANSFER_SWITCH",
  "UPS",
  "FLOOR_PDU",
  "RPP",
  "BUSWAY",
  "RACK_PDU",
]);

type OwnDraws = Pick<DeviceBody, "allocatedDrawW" | "measuredDrawW" | "maxDrawW">;
/** A device or cooling unit with its draws. Ports and inlets are required unless it records a draw. */
type DrawFields = OwnDraws & {
  readonly kind?: DeviceKind | Crac["kind"];
  readonly ports?: readonly Port[];
  readonly powerInputs?: readonly PowerIn[];
};
type HeatFields = DrawFields & Pick<DeviceBody, "heatW" | "coolingMethod" | "liquidFractionPct">;

type InletDrawSource = "INLETS_ALLOCATED" | "INLETS_MAX";

interface InletDraw {
  readonly watts: number;
  readonly source: InletDrawSource;
}

/**
 * Returns the draw of a device or cooling unit in watts by a basis, otherwise by the next best recorded figure: a device
 * that records no draw draws the sum of its inlets. Undefined if nothing is recorded, which is not 0.
 */
export function getDrawW(owner: DrawFields, basis: LoadBasis): number | undefined {
  return getOwnDrawField(owner, basis) ?? findInletDraw(owner)?.watts;
}

function getOwnDrawField({ allocatedDrawW, measuredDrawW, maxDrawW }: OwnDraws, basis: LoadBasis): number | undefined {
  switch (basis) {
    case "ALLOCATED":
      return allocatedDrawW ?? maxDrawW ?? measuredDrawW;
    case "MEASURED":
    case "MEASURED_PEAK":
      return measuredDrawW ?? allocatedDrawW ?? maxDrawW;
    case "MAX":
      return maxDrawW ?? allocatedDrawW ?? measuredDrawW;
  }
}

/** Returns a device with the ports that its draw depends on: its inlets if no draw of the device is recorded. */
export function selectDrawPorts({ ports = [], ...body }: Device): Device {
  const inlets = dependsOnInlets(body) ? ports.filter(({ kind }) => kind === "POWER_IN") : [];
  return inlets.length === 0 ? body : { ...body, ports: inlets };
}

export function dependsOnInlets(body: DeviceBody): boolean {
  return !isPowerKind(body.kind) && getOwnDrawField(body, "ALLOCATED") === undefined;
}

const inletDraws = new WeakMap<object, InletDraw | "NONE">();

/**
 * Returns the sum of the inlets' allocated draws, without these of their maximum draws, as NetBox adds them up; undefined
 * if no inlet has one, and for power equipment, whose inlets carry what it passes on.
 */
export function findInletDraw({ kind, ports, powerInputs }: DrawFields): InletDraw | undefined {
  const inlets = ports ?? powerInputs;
  if (inlets === undefined || POWER_KINDS.has(kind)) return undefined;
  const known = inletDraws.getOrInsertComputed(inlets, () => sumInletDraws(ports, powerInputs) ?? "NONE");
  return known === "NONE" ? undefined : known;
}

function sumInletDraws(ports: DrawFields["ports"] = [], powerInputs: DrawFields["powerInputs"] = []) {
  const inlets = [
    ...powerInputs,
    ...ports.flatMap(({ kind, enabled, powerIn }) =>
      kind === "POWER_IN" && enabled !== false && powerIn !== undefined ? [powerIn] : [],
    ),
  ];
  const sum = (draws: readonly number[], source: InletDrawSource): InletDraw | undefined =>
    draws.length === 0 ? undefined : { watts: draws.reduce((all, watts) => all + watts, 0), source };
  return (
    sum(
      inlets.flatMap(({ allocatedDrawW }) => allocatedDrawW ?? []),
      "INLETS_ALLOCATED",
    ) ??
    sum(
      inlets.flatMap(({ maxDrawW }) => maxDrawW ?? []),
      "INLETS_MAX",
    )
  );
}

/** Returns which recorded figure the draw to plan with is. */
export function getDrawSource(owner: DrawFields): "ALLOCATED" | "MAX" | "MEASURED" | InletDrawSource | "NOT_RECORDED" {
  if (owner.allocatedDrawW !== undefined) return "ALLOCATED";
  if (owner.maxDrawW !== undefined) return "MAX";
  return owner.measuredDrawW === undefined ? (findInletDraw(owner)?.source ?? "NOT_RECORDED") : "MEASURED";
}

/** Whether any recorded draw exceeds 0. */
export function hasRecordedDraw(device: DrawFields): boolean {
  return LOAD_BASES.some((basis) => (getDrawW(device, basis) ?? 0) > 0);
}

/** Whether the given basis selects a device's measured draw. A chassis's measured draw includes its blades. */
export function isDrawMeasured({ allocatedDrawW, measuredDrawW, maxDrawW }: OwnDraws, basis: LoadBasis): boolean {
  if (measuredDrawW === undefined) return false;
  if (basis === "MEASURED" || basis === "MEASURED_PEAK") return true;
  return allocatedDrawW === undefined && maxDrawW === undefined;
}

/** Returns the heat output of a device in watts: its recorded heat, otherwise its draw; 0 if neither is recorded. */
export function getHeatW(device: HeatFields, basis: LoadBasis): number {
  return device.heatW ?? getDrawW(device, basis) ?? 0;
}

/**
 * Returns the share of heat to air, from 0 to 1. LIQUID and IMMERSION emit none to air unless a fraction is recorded.
 */
export function getAirShare({ coolingMethod, liquidFractionPct }: HeatFields): number {
  if (coolingMethod === "HYBRID") return 1 - (liquidFractionPct ?? 0) / 100;
  if (coolingMethod === "LIQUID" || coolingMethod === "IMMERSION") return 1 - (liquidFractionPct ?? 100) / 100;
  return 1;
}

export function computeAirHeatW(device: HeatFields, basis: LoadBasis): number {
  return getHeatW(device, basis) * getAirShare(device);
}

/**
 * Returns the capacity of an outlet in watts at 100 % and power factor 1; undefined without a rating. Source:
 * docs/contract/datacenter-analyses.md#electrical-figures.
 */
export function computeOutletCapacityW({ voltageV, amperageA, phase }: PowerOut): number | undefined {
  if (voltageV === undefined || amperageA === undefined) return undefined;
  const factor = phase === "THREE" ? Math.sqrt(3) : 1;
  return Math.round(Math.abs(voltageV) * amperageA * factor);
}

/** Whether the purpose of devices of this kind is to supply other devices. */
export function isPowerKind(kind: DeviceKind): boolean {
  return POWER_KINDS.has(kind);
}
