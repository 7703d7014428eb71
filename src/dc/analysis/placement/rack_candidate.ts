import type { PhaseLeg } from "../../model/enum_values.ts";
import {
  doSpacesOverlap,
  getRackSpace,
  getUnitRange,
  isReservationInForce,
  type RackSpace,
} from "../../model/rack_space.ts";
import { codeKey } from "../../model/ref.ts";
import type { DeviceBody, Rack } from "../../model/resources.ts";
import type { DevicePort } from "../cabling/trace_site.ts";
import { measureLargestFreeBlock } from "../racks/rack_elevation.ts";
import type { PhaseLimits, RackCooling } from "./cooling_limits.ts";
import type { LimitUse, PlacementObstacle, PlacementRequest } from "./limits.ts";
import { acceptsPlug, type FreeOutlet, type RackLimits, type SupplyPair, type SupplySide } from "./rack_taps.ts";
import type { SwitchPool, SwitchPorts } from "./switch_ports.ts";

export interface RackCandidate {
  readonly rack: Rack;
  readonly units: RackUnits;
  readonly limits: RackLimits;
  readonly cooling: RackCooling;
  readonly pool: SwitchPool | undefined;
  /** Reasons that exclude the rack regardless of its remaining capacity. */
  readonly obstacles: readonly PlacementObstacle[];
  readonly options: readonly SupplyOption[];
}

/** One possible supply for the devices in a rack. */
export interface SupplyOption {
  readonly pair: SupplyPair;
  /** Use of every limit by one device with this supply. */
  readonly uses: readonly LimitUse[];
  readonly feedKey: string;
}

/** An inlet with its outlet; the outlet is absent for equipment without recorded outlets. */
interface PluggedInlet {
  readonly side: SupplySide;
  readonly inlet: string;
  readonly outlet?: FreeOutlet;
}

/** Resources allocated to one device. */
export interface Allocation {
  readonly position: number;
  readonly plugs: readonly PluggedInlet[];
  readonly ports: readonly DevicePort[];
}

/** Allocates positions one by one; each allocation reduces the remaining resources. */
export class PositionAllocator {
  readonly #wanted: PlacementRequest;
  readonly #phases: PhaseLimits;
  readonly #ports: SwitchPorts;
  /** Watts that are allocated to the legs of equipment, by the key of the equipment and the leg. */
  readonly #legLoads = new Map<string, number>();

  constructor(wanted: PlacementRequest, phases: PhaseLimits, ports: SwitchPorts) {
    this.#wanted = wanted;
    this.#phases = phases;
    this.#ports = ports;
  }

  /** Allocates a position. @returns the allocation, or why nothing fits */
  allocatePosition(candidate: RackCandidate, option: SupplyOption): Allocation | PlacementObstacle {
    const position = candidate.units.findLowestPosition();
    if (position === undefined) return createNoSpaceObstacle(candidate, this.#wanted);
    const short = option.uses.find(({ limit, each, after }) => limit.countFitting(each, after) < 1);
    if (short !== undefined) return short.limit.createObstacle(short.each, short.after);
    const plugged = this.#chooseOutlets(option.pair);
    if ("reason" in plugged) return plugged;
    const ports = candidate.pool === undefined ? [] : this.#ports.choosePorts(candidate.pool);
    if (ports === undefined) return createNoPortObstacle(candidate);
    candidate.units.takePosition(position);
    for (const { limit, each, after } of [...option.uses, ...plugged.uses]) limit.addUse(each, after);
    for (const { side, outlet } of plugged.plugs) this.#removeFreeOutlet(side, outlet);
    if (candidate.pool !== undefined) this.#ports.takePorts(candidate.pool, ports);
    return { position, plugs: plugged.plugs, ports };
  }

  /** Chooses an outlet for every inlet, on the least loaded leg of its equipment. */
  #chooseOutlets(
    pair: SupplyPair,
  ): { readonly plugs: readonly PluggedInlet[]; readonly uses: readonly LimitUse[] } | PlacementObstacle {
    const plugs: PluggedInlet[] = [];
    const uses: LimitUse[] = [];
    for (const side of pair) {
      for (const { name, type } of side.inlets) {
        const { outlets } = side.tap;
        if (outlets === undefined) {
          uses.push(...this.#phases.listUses(side.tap.path, undefined, 1 / this.#wanted.inlets.length));
          plugs.push({ side, inlet: name });
          continue;
        }
        const busy = new Set(plugs.map(({ outlet }) => outlet));
        const able = outlets.filter(
          (outlet) => !busy.has(outlet) && acceptsPlug(outlet.port, type) && this.#canCarryInlet(outlet, side, pair),
        );
        if (able.length === 0) return createNoOutletObstacle(side, type);
        const found = this.#findLeastLoadedOutlet(able, side, plugs);
        uses.push(...this.#phases.listUses(side.tap.path, found.leg, 1 / this.#wanted.inlets.length));
        plugs.push({ side, inlet: name, outlet: found });
      }
    }
    const short = mergeLimitUses(uses).find(({ limit, each }) => limit.countFitting(each) < 1);
    return short === undefined ? { plugs, uses } : short.limit.createObstacle(short.each);
  }

  #findLeastLoadedOutlet(able: readonly FreeOutlet[], side: SupplySide, plugs: readonly PluggedInlet[]): FreeOutlet {
    const load = (outlet: FreeOutlet): number => {
      if (outlet.leg === undefined) return 0;
      const own = plugs.filter((one) => one.side === side && one.outlet?.leg === outlet.leg).length;
      return (this.#legLoads.get(formatLegKey(side, outlet.leg)) ?? 0) + own;
    };
    return able.reduce((best, outlet) => (load(outlet) < load(best) ? outlet : best));
  }

  /** Whether an outlet can carry its inlet with all sides live, and after losing the other side or an inlet. */
  #canCarryInlet({ capacityVa, maxUtilizationPct }: FreeOutlet, side: SupplySide, pair: SupplyPair): boolean {
    if (capacityVa === undefined) return true;
    const { drawW, powerFactor, inlets, keep } = this.#wanted;
    const full = drawW / powerFactor;
    const fewest = pair.length === 1 ? 1 : Math.min(side.inlets.length, inlets.length - 1);
    const usable = capacityVa * (1 - keep);
    return full / inlets.length <= (usable * maxUtilizationPct) / 100 && full / Math.max(1, fewest) <= usable;
  }

  #removeFreeOutlet(side: SupplySide, outlet: FreeOutlet | undefined): void {
    const { outlets } = side.tap;
    if (outlet === undefined || outlets === undefined) return;
    outlets.splice(outlets.indexOf(outlet), 1);
    if (outlet.leg === undefined) return;
    const key = formatLegKey(side, outlet.leg);
    this.#legLoads.set(key, (this.#legLoads.get(key) ?? 0) + 1);
  }
}

/** Merges uses of the same limit into one. */
function mergeLimitUses(uses: readonly LimitUse[]): readonly LimitUse[] {
  const found = new Map<LimitUse["limit"], number>();
  for (const { limit, each } of uses) found.set(limit, (found.get(limit) ?? 0) + each);
  return [...found].map(([limit, each]) => ({ limit, each }));
}

function formatLegKey({ tap }: SupplySide, leg: PhaseLeg): string {
  return `${codeKey(tap.device.code)}/${leg}`;
}

export function createNoSpaceObstacle(
  { rack, units }: RackCandidate,
  { uHeight }: PlacementRequest,
): PlacementObstacle {
  return {
    reason: "NO_SPACE",
    message: `Rack "${rack.code}" has no ${uHeight} free adjacent units: ${units.largestFreeBlockU} at most`,
    ref: `rack:${rack.code}`,
    value: uHeight,
    limit: units.largestFreeBlockU,
  };
}

function createNoPortObstacle({ rack }: RackCandidate): PlacementObstacle {
  const message = `The switches of rack "${rack.code}" have no such free ports`;
  return { reason: "NO_SWITCH_PORT", message, ref: `rack:${rack.code}` };
}

function createNoOutletObstacle({ tap }: SupplySide, type: string | undefined): PlacementObstacle {
  const what = type === undefined ? "free outlet" : `free outlet for ${type}`;
  return {
    reason: "NO_OUTLET",
    message: `"${tap.device.code}" has no ${what} that carries the device`,
    ref: `device:${tap.device.code}`,
  };
}

/** Number of steps per rack unit: positions are multiples of half a unit. */
const STEPS_PER_UNIT = 2;

type DeviceShape = Pick<PlacementRequest, "uHeight" | "face" | "tenant" | "now"> & {
  readonly template: Pick<DeviceBody, "depth">;
};

/** Positions of one rack that fit devices of one shape, with a mark for each used position. */
export class RackUnits {
  readonly #firstUnit: number;
  readonly #usedSteps: Uint8Array;
  /** 1 for each whole unit that is empty on both sides, otherwise 0. */
  readonly #emptyUnits: Uint8Array;
  readonly #height: number;
  /** Steps between positions. Devices of a whole number of units are placed on whole units. */
  readonly #step: number;
  #count: number | undefined;

  constructor(rack: Rack, devices: readonly DeviceBody[], shape: DeviceShape) {
    const { from, to } = getUnitRange(rack);
    this.#firstUnit = from;
    this.#height = Math.round(shape.uHeight * STEPS_PER_UNIT);
    this.#step = Number.isInteger(shape.uHeight) ? STEPS_PER_UNIT : 1;
    this.#usedSteps = new Uint8Array((to - from) * STEPS_PER_UNIT);
    this.#emptyUnits = new Uint8Array(to - from).fill(1);
    const depth = shape.template.depth === undefined ? {} : { depth: shape.template.depth };
    const probe = { code: "", kind: "OTHER" as const, positionU: from, uHeight: shape.uHeight, face: shape.face };
    const wanted = getRackSpace({ ...probe, ...depth });
    if (wanted === undefined) return;
    for (const device of devices) {
      const space = getRackSpace(device);
      if (space !== undefined) this.#markUsed(space, wouldIntersect(wanted, space));
    }
    for (const reservation of rack.reservations ?? []) {
      if (
        !isReservationInForce(reservation, shape.now) ||
        (reservation.owner !== undefined && reservation.owner === shape.tenant)
      ) {
        continue;
      }
      for (const unit of reservation.units) this.#markUsed({ from: unit, to: unit + 1 }, true);
    }
  }

  get fittingCount(): number {
    this.#count ??= this.#listPositions().length;
    return this.#count;
  }

  /** Returns the lowest free position; undefined if none exists. */
  findLowestPosition(): number | undefined {
    for (let at = 0; at + this.#height <= this.#usedSteps.length; at += this.#step) {
      if (this.#isFree(at)) return this.#firstUnit + at / STEPS_PER_UNIT;
    }
    return undefined;
  }

  takePosition(position: number): void {
    this.#markUsed({ from: position, to: position + this.#height / STEPS_PER_UNIT }, true);
    this.#count = undefined;
  }

  /** Number of whole units that are empty on both sides. */
  get freeU(): number {
    return this.#emptyUnits.reduce((sum, free) => sum + free, 0);
  }

  get largestFreeBlockU(): number {
    return measureLargestFreeBlock(Array.from(this.#emptyUnits, (free) => free === 1));
  }

  /** Returns the most positions that can be used at once, chosen from the lowest up in each free run. */
  #listPositions(): readonly number[] {
    const found: number[] = [];
    for (let at = 0; at + this.#height <= this.#usedSteps.length; ) {
      if (this.#isFree(at)) {
        found.push(at);
        at += Math.ceil(this.#height / this.#step) * this.#step;
      } else at += this.#step;
    }
    return found;
  }

  #isFree(at: number): boolean {
    for (let step = at; step < at + this.#height; step += 1) if (this.#usedSteps[step] === 1) return false;
    return true;
  }

  #markUsed({ from, to }: Pick<RackSpace, "from" | "to">, blocks: boolean): void {
    const first = (from - this.#firstUnit) * STEPS_PER_UNIT;
    const last = (to - this.#firstUnit) * STEPS_PER_UNIT;
    if (blocks) this.#usedSteps.fill(1, Math.max(0, first), Math.max(0, last));
    this.#emptyUnits.fill(
      0,
      Math.max(0, Math.floor(first / STEPS_PER_UNIT)),
      Math.max(0, Math.ceil(last / STEPS_PER_UNIT)),
    );
  }
}

/** Whether two spaces would intersect if they were at the same height. */
function wouldIntersect(wanted: RackSpace, other: RackSpace): boolean {
  return doSpacesOverlap({ ...wanted, from: other.from, to: other.to }, other);
}
