import {
  doSpacesOverlap,
  getRackSpace,
  getUnitRange,
  isReservationInForce,
  type RackSpace,
} from "#dc/model/rack_space.ts";
import type { DeviceBody, Rack } from "#dc/model/resources.ts";
import type { PlacementRequest } from "./wanted.ts";

/** Number of steps per rack unit: positions are multiples of half a unit. */
const STEPS = 2;

type Shape = Pick<PlacementRequest, "uHeight" | "face" | "tenant" | "now"> & {
  readonly template: Pick<DeviceBody, "depth">;
};

/** Positions of one rack that fit devices of one shape, with a mark for each used position. */
export class RackUnits {
  readonly #from: number;
  readonly #taken: Uint8Array;
  /** 1 for each whole unit that is empty on both sides, otherwise 0. */
  readonly #open: Uint8Array;
  readonly #height: number;
  /** Steps between positions. Devices of a whole number of units are placed on whole units. */
  readonly #step: number;
  #count: number | undefined;

  constructor(rack: Rack, devices: readonly DeviceBody[], shape: Shape) {
    const { from, to } = getUnitRange(rack);
    this.#from = from;
    this.#height = Math.round(shape.uHeight * STEPS);
    this.#step = Number.isInteger(shape.uHeight) ? STEPS : 1;
    this.#taken = new Uint8Array((to - from) * STEPS);
    this.#open = new Uint8Array(to - from).fill(1);
    const depth = shape.template.depth === undefined ? {} : { depth: shape.template.depth };
    const probe = { code: "", kind: "OTHER" as const, positionU: from, uHeight: shape.uHeight, face: shape.face };
    const wanted = getRackSpace({ ...probe, ...depth });
    if (wanted === undefined) return;
    for (const device of devices) {
      const space = getRackSpace(device);
      if (space !== undefined) this.#occupy(space, wouldIntersect(wanted, space));
    }
    for (const reservation of rack.reservations ?? []) {
      if (
        !isReservationInForce(reservation, shape.now) ||
        (reservation.owner !== undefined && reservation.owner === shape.tenant)
      ) {
        continue;
      }
      for (const unit of reservation.units) this.#occupy({ from: unit, to: unit + 1 }, true);
    }
  }

  get fits(): number {
    this.#count ??= this.#positions().length;
    return this.#count;
  }

  /** Returns the lowest free position; undefined if none exists. */
  lowest(): number | undefined {
    for (let at = 0; at + this.#height <= this.#taken.length; at += this.#step) {
      if (this.#isFree(at)) return this.#from + at / STEPS;
    }
    return undefined;
  }

  take(position: number): void {
    this.#occupy({ from: position, to: position + this.#height / STEPS }, true);
    this.#count = undefined;
  }

  /** Number of whole units that are empty on both sides. */
  get freeU(): number {
    return this.#open.reduce((sum, free) => sum + free, 0);
  }

  get largestFreeBlockU(): number {
    let [longest, run] = [0, 0];
    for (const free of this.#open) {
      run = free === 1 ? run + 1 : 0;
      longest = Math.max(longest, run);
    }
    return longest;
  }

  /** Returns the most positions that can be used at once, chosen from the lowest up in each free run. */
  #positions(): readonly number[] {
    const found: number[] = [];
    for (let at = 0; at + this.#height <= this.#taken.length; ) {
      if (this.#isFree(at)) {
        found.push(at);
        at += Math.ceil(this.#height / this.#step) * this.#step;
      } else at += this.#step;
    }
    return found;
  }

  #isFree(at: number): boolean {
    for (let step = at; step < at + this.#height; step += 1) if (this.#taken[step] === 1) return false;
    return true;
  }

  #occupy({ from, to }: Pick<RackSpace, "from" | "to">, blocks: boolean): void {
    const first = (from - this.#from) * STEPS;
    const last = (to - this.#from) * STEPS;
    if (blocks) this.#taken.fill(1, Math.max(0, first), Math.max(0, last));
    this.#open.fill(0, Math.max(0, Math.floor(first / STEPS)), Math.max(0, Math.ceil(last / STEPS)));
  }
}

/** Whether two spaces would intersect if they were at the same height. */
function wouldIntersect(wanted: RackSpace, other: RackSpace): boolean {
  return doSpacesOverlap({ ...wanted, from: other.from, to: other.to }, other);
}
