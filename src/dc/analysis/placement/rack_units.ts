import {
  doSpacesOverlap,
  getRackSpace,
  getUnitRange,
  isReservationInForce,
  type RackSpace,
} from "#dc/model/rack_space.ts";
import type { DeviceBody, Rack } from "#dc/model/resources.ts";
import { measureLargestFreeBlock } from "../racks/rack_elevation.ts";
import type { PlacementRequest } from "./wanted.ts";

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
