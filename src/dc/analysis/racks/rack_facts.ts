import type { PathLoad } from "#gen/datacenter/v1/messages.ts";
import { isPowerKind } from "../../model/draw.ts";
import type { Health, LoadBasis } from "../../model/enum_values.ts";
import { isReservationInForce } from "../../model/rack_space.ts";
import { codeKey } from "../../model/ref.ts";
import type { Device, DeviceBody, Rack } from "../../model/resources.ts";
import type { MediaServed } from "../cooling/cooling_units.ts";
import { computeRackHeat, type RackHeat, type RackHeatFigures } from "../cooling/thermal_spots.ts";
import type { PowerEdge } from "../power/power_edges.ts";
import { listSupplyReasons, type RedundancyAudit, type RedundancyVerdict } from "../power/power_figures.ts";
import { findSupplySide, type KillerSets } from "../power/power_killers.ts";
import type { LiveSet } from "../power/power_live.ts";
import { sumPowerLossesW } from "../power/power_load.ts";
import type { PowerGraph } from "../power/power_nodes.ts";
import {
  areReasonsEqual,
  computeElevation,
  computeRackHealth,
  countRackSupply,
  countUnrecorded,
  type Elevation,
  type HealthReason,
  type RackSupply,
  STALE_MS,
} from "./rack_elevation.ts";

/** Power state of a site that the facts about a rack depend on. */
interface SitePower {
  readonly power: PowerGraph;
  readonly live: LiveSet;
  readonly redundancy: RedundancyAudit;
  /** Single losses that turn nodes off in the present state. */
  readonly killers: KillerSets;
  loads(basis: LoadBasis): Float64Array;
  /** Returns findings about the supplies of a rack; the same array until they change. */
  powerFindings(rackCode: string, basis: LoadBasis): readonly HealthReason[];
  /** Returns the media for which a cooling unit serves a rack. */
  mediaServing(rack: Rack): MediaServed;
}

/** Layout, heat and health of a rack. */
export interface RackStanding {
  readonly elevation: Elevation;
  readonly thermal: RackHeatFigures;
  readonly health: Health;
  readonly reasons: readonly HealthReason[];
}

export interface RackMoment {
  readonly basis: LoadBasis;
  /** Time of the request, ISO 8601 in UTC. */
  readonly now: string;
}

interface CachedStanding {
  readonly rack: Rack;
  readonly findings: readonly HealthReason[];
  readonly heat: RackHeat;
  readonly from: number;
  readonly until: number;
  readonly standing: RackStanding;
}

/** Results about a rack, its devices and their supply, cached on first use. Valid while these are unchanged. */
export class RackFacts {
  readonly devices: readonly Device[];
  readonly #rack: Rack | undefined;
  #supply: RackSupply | undefined;
  #verdicts: readonly RedundancyVerdict[] | undefined;
  readonly #heatByBasis = new Map<LoadBasis, RackHeat>();
  readonly #pathLoadsByBasis = new Map<LoadBasis, readonly PathLoad[]>();
  readonly #standingByBasis = new Map<LoadBasis, CachedStanding>();

  constructor(rack: Rack | undefined, devices: readonly Device[]) {
    this.#rack = rack;
    this.devices = devices;
  }

  /** Whether the facts are about the given rack and devices. */
  isAbout(rack: Rack | undefined, devices: readonly Device[]): boolean {
    return this.#rack === rack && this.devices === devices;
  }

  /** Returns the supply counts from which the rack's state is computed. */
  countSupply({ power, live }: SitePower): RackSupply {
    this.#supply ??= countRackSupply(power, live, this.devices);
    return this.#supply;
  }

  getPathLoads(site: SitePower, basis: LoadBasis): readonly PathLoad[] {
    return this.#pathLoadsByBasis.getOrInsertComputed(basis, () =>
      computePathLoads(site.power, { live: site.live, loadsW: site.loads(basis), killers: site.killers }, this.devices),
    );
  }

  /** Returns verdicts on the redundancy of the rack's devices; devices without a requirement are omitted. */
  redundancy(site: SitePower): readonly RedundancyVerdict[] {
    this.#verdicts ??= site.redundancy.listVerdicts(this.#rack, this.devices);
    return this.#verdicts;
  }

  computeHeat(rack: Rack, site: SitePower, basis: LoadBasis): RackHeat {
    const known = this.#heatByBasis.get(basis);
    const served = site.mediaServing(rack);
    if (known?.rack === rack && known.served.air === served.air && known.served.liquid === served.liquid) return known;
    const lossW = sumPowerLossesW(this.devices, site, basis);
    const made = computeRackHeat(rack, this.devices, { basis, served, lossW });
    this.#heatByBasis.set(basis, made);
    return made;
  }

  /** Returns the rack's layout, heat and health, cached until the rack, its findings or the time change them. */
  computeStanding(rack: Rack, site: SitePower, { basis, now }: RackMoment): RackStanding {
    const moment = Date.parse(now);
    const findings = site.powerFindings(rack.code, basis);
    const known = this.#standingByBasis.get(basis);
    const heat = this.computeHeat(rack, site, basis);
    const isRecent = known?.rack === rack && known.heat === heat && known.from <= moment && moment < known.until;
    if (isRecent && areReasonsEqual(known.findings, findings)) return known.standing;
    const { devices } = this;
    const elevation = computeElevation(rack, devices, { now, basis });
    const { thermal, hotspots } = heat;
    const { capacity, conflicts } = elevation;
    const { power, live } = site;
    const supply = [...findings, ...listSupplyReasons({ power, live, rack, devices, verdicts: this.redundancy(site) })];
    const unrecorded = countUnrecorded(this.countSupply(site));
    const health = computeRackHealth({ rack, capacity, conflicts, supply, hotspots, unrecorded, now });
    const standing = { elevation, thermal, ...health };
    this.#standingByBasis.set(basis, {
      rack,
      heat,
      findings,
      from: moment,
      until: computeNextChangeMs([rack], now),
      standing,
    });
    return standing;
  }
}

const HOUR_MS = 3_600_000;

/**
 * Returns the time, in milliseconds since 1970, before which no rack changes without a write: the next end of a
 * reservation, the next measurement that becomes stale, or a stale one that becomes an hour older. Infinite if there is
 * no such time.
 *
 * @param now ISO 8601 in UTC
 */
export function computeNextChangeMs(racks: readonly Rack[], now: string): number {
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...racks.map((rack) => Math.min(computeNextReservationEndMs(rack, now), computeNextAgeStepMs(rack, now))),
  );
}

function computeNextReservationEndMs({ reservations = [] }: Rack, now: string): number {
  const ends = reservations.filter((one) => isReservationInForce(one, now)).map(({ until }) => until);
  return Math.min(Number.POSITIVE_INFINITY, ...ends.flatMap((until) => (until === undefined ? [] : Date.parse(until))));
}

function computeNextAgeStepMs({ measuredAt }: Rack, now: string): number {
  if (measuredAt === undefined) return Number.POSITIVE_INFINITY;
  const measured = Date.parse(measuredAt);
  const age = Date.parse(now) - measured;
  return measured + Math.max(STALE_MS, (Math.floor(age / HOUR_MS) + 1) * HOUR_MS);
}

interface RackConsumer {
  readonly need: number;
  readonly drawW: number;
  /** Number of the consumer's first inlet; the consumer's inlets end before `end`. */
  readonly first: number;
  readonly end: number;
}

interface RackPowerInput {
  readonly live: LiveSet;
  readonly loadsW: Float64Array;
  /** Single losses that turn nodes off in the present state. */
  readonly killers: KillerSets;
}

/**
 * Computes the load of each power path for the consumers of one rack, now and after the loss of any one element. Cost:
 * O(inlets × relevant losses). Source: docs/contract/datacenter-analyses.md#p8.
 */
function computePathLoads(
  graph: PowerGraph,
  figures: RackPowerInput,
  devices: readonly DeviceBody[],
): readonly PathLoad[] {
  const inlets = new RackInlets(graph, figures);
  for (const { code } of devices) {
    const index = graph.indexOf.get(`device:${codeKey(code)}`) ?? -1;
    if (drawsFromOwnInlets(graph, index)) inlets.addConsumer(index);
  }
  const normal = inlets.computeSideLoads();
  const worst = normal.slice();
  for (const lost of inlets.listLosses()) {
    for (const [side, watts] of inlets.computeSideLoads(lost).entries())
      worst[side] = Math.max(worst[side] ?? 0, watts);
  }
  return inlets
    .listLabels()
    .map((powerPath, side) => ({
      powerPath,
      normalW: normal[side] ?? 0,
      failoverW: worst[side] ?? 0,
    }))
    .toSorted((a, b) => (a.powerPath < b.powerPath ? -1 : 1));
}

/** Whether a node is a consumer with recorded inlets. Blades are excluded: their chassis's draw includes theirs. */
function drawsFromOwnInlets(graph: PowerGraph, index: number): boolean {
  const node = graph.nodes[index];
  if (node?.kind !== "DEVICE" || node.blocked || isPowerKind(node.device.kind)) return false;
  const first = graph.inlets.getFirstEdge(index);
  return first !== undefined && first.how !== "BAY";
}

/** Inlets of a rack's consumers, numbered so that the inlets of one consumer follow each other. */
class RackInlets {
  readonly #graph: PowerGraph;
  readonly #figures: RackPowerInput;
  readonly #consumers: RackConsumer[] = [];
  /** Numbers of the sides by label; `#side` contains the side of each inlet. */
  readonly #sides = new Map<string, number>();
  readonly #sideByInlet: number[] = [];
  readonly #allocatedW: number[] = [];
  readonly #isDead: boolean[] = [];
  /** Inlets that the loss of an element alone turns off, by the element's node. */
  readonly #inletsByLoss = new Map<number, number[]>();

  constructor(graph: PowerGraph, figures: RackPowerInput) {
    this.#graph = graph;
    this.#figures = figures;
  }

  listLabels(): readonly string[] {
    return [...this.#sides.keys()];
  }

  /** Yields the inlets that each loss turns off. */
  listLosses(): Iterable<readonly number[]> {
    return this.#inletsByLoss.values();
  }

  addConsumer(consumer: number): void {
    const first = this.#sideByInlet.length;
    for (const edge of this.#graph.inlets.listEdges(consumer)) this.#addInlet(edge);
    const need = this.#graph.nodes[consumer]?.need ?? 0;
    this.#consumers.push({ need, drawW: this.#figures.loadsW[consumer] ?? 0, first, end: this.#sideByInlet.length });
  }

  #addInlet(edge: PowerEdge): void {
    const at = this.#sideByInlet.length;
    const label = findSupplySide(this.#graph, this.#figures.live, edge);
    const side = this.#sides.getOrInsertComputed(label, () => this.#sides.size);
    this.#sideByInlet.push(side);
    this.#allocatedW.push(edge.allocatedW ?? 0);
    const killers = this.#figures.killers.findKillers(edge.from);
    this.#isDead.push(killers === undefined);
    for (const lost of killers ?? []) this.#inletsByLoss.getOrInsert(lost, []).push(at);
  }

  /** Returns the load of each side in watts after the loss of some inlets. */
  computeSideLoads(lost: readonly number[] = []): readonly number[] {
    const loads = new Array<number>(this.#sides.size).fill(0);
    // No lost inlet was dead before, so the marks can be reset afterwards.
    for (const at of lost) this.#isDead[at] = true;
    for (const consumer of this.#consumers) this.#divideDraw(consumer, loads);
    for (const at of lost) this.#isDead[at] = false;
    return loads;
  }

  /** Divides the draw of a consumer among its live inlets. */
  #divideDraw({ need, drawW, first, end }: RackConsumer, loads: number[]): void {
    let [alive, allocated, byDraw] = [0, 0, true];
    for (let at = first; at < end; at += 1) {
      if (this.#isDead[at] === true) continue;
      const watts = this.#allocatedW[at] as number;
      alive += 1;
      allocated += watts;
      if (watts <= 0) byDraw = false;
    }
    if (alive < need) return;
    for (let at = first; at < end; at += 1) {
      if (this.#isDead[at] === true) continue;
      const share = byDraw ? (this.#allocatedW[at] as number) / allocated : 1 / alive;
      const side = this.#sideByInlet[at] as number;
      loads[side] = (loads[side] as number) + drawW * share;
    }
  }
}
