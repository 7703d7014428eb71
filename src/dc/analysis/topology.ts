import { codeKey } from "#dc/model/code.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { portKey, type Ref } from "#dc/model/ref.ts";
import { edgeKey, resourceKey } from "#dc/model/resource_key.ts";
import type { Crac, Device, PortRef, Rack, ResourceKind } from "#dc/model/resources.ts";
import type { PathLoad } from "#gen/datacenter/v1/messages.ts";
import { runAllSteps, type Steps } from "#kernel/steps.ts";
import { type MediaServed, servedAround } from "./cooling/cooling_units.ts";
import type { RackHeat } from "./cooling/thermal_spots.ts";
import { type LocatedDevices, locate, relocate } from "./located_devices.ts";
import { areaKey, emptyPlaces, type Place, placesByArea, placesOf } from "./places.ts";
import type { Loads } from "./power/load_lanes.ts";
import { PowerFigures } from "./power/power_figures.ts";
import { type CarriedLoads, groupFindingsByRack } from "./power/power_findings.ts";
import type { PowerGraph } from "./power/power_graph.ts";
import { PowerGraphEditor } from "./power/power_graph_editor.ts";
import type { KillerSets } from "./power/power_killers.ts";
import type { LiveSet } from "./power/power_live.ts";
import { isUnmet, isUnproven, type RedundancyAudit, type RedundancyVerdict } from "./power/redundancy_audit.ts";
import { RackFacts, type RackMoment, type RackStanding } from "./racks/rack_facts.ts";
import type { HealthReason } from "./racks/rack_health.ts";
import type { RackSupply } from "./racks/rack_supply.ts";
import { concernsPower, concernsSupply, edits, racksOf } from "./resource_changes.ts";
import { itemAt, withEdits } from "./sorted_list.ts";

const codeOf = ({ code }: { readonly code: string }) => codeKey(code);

/** The inventory's graphs at one revision. It never changes; `changed` makes the next one, which shares what stayed. */
export class Topology {
  /** With power ports and power cables only, each list in the order of keys. */
  readonly inventory: Inventory;
  readonly power: PowerGraph;
  readonly #editor: PowerGraphEditor;
  readonly #figures: PowerFigures;
  #places: readonly Place[] | undefined;
  #verdicts: readonly RedundancyVerdict[] | undefined;
  /** Findings by the key of the rack. */
  readonly #overloads = new Map<LoadBasis, ReadonlyMap<string, readonly HealthReason[]>>();
  readonly #located: LocatedDevices;
  /** By the key of the rack; shared with earlier topologies until the resources of a rack change. */
  readonly #facts: Map<string, RackFacts>;

  private constructor(inventory: Inventory, { editor, figures, located, facts }: Parts) {
    this.inventory = inventory;
    this.#editor = editor;
    this.power = editor.graph();
    this.#figures = figures;
    this.#located = located;
    this.#facts = facts;
  }

  /** Cost: O(devices + ports + cables). */
  static of(inventory: Inventory): Topology {
    return runAllSteps(Topology.build(inventory));
  }

  /** The same in steps, live set and loads included. */
  static *build(inventory: Inventory): Steps<Topology> {
    const editor = yield* PowerGraphEditor.build(inventory);
    const located = locate(inventory.devices);
    const figures = new PowerFigures(editor.graph());
    yield;
    figures.live;
    yield;
    figures.loads("ALLOCATED");
    return new Topology(inventory, { editor, figures, located, facts: new Map() });
  }

  /** Which nodes have power before anything fails. */
  get live(): LiveSet {
    return this.#figures.live;
  }

  /** What every node carries by allocated draw, in watts. */
  get loadsW(): Float64Array {
    return this.loads("ALLOCATED");
  }

  /** What every node carries, in watts. */
  loads(basis: LoadBasis): Float64Array {
    return this.#figures.loads(basis).watts;
  }

  /** What every node carries, outlets in volt-amperes as well. */
  apparentLoads(basis: LoadBasis): Loads {
    return this.#figures.loads(basis);
  }

  device(code: string): Device | undefined {
    return itemAt(this.inventory.devices, codeKey(code), codeOf);
  }

  rack(code: string): Rack | undefined {
    return itemAt(this.inventory.racks, codeKey(code), codeOf);
  }

  crac(code: string): Crac | undefined {
    return itemAt(this.inventory.cracs, codeKey(code), codeOf);
  }

  /** Devices of a rack in the order of keys. */
  devicesInRack(rackCode: string): readonly Device[] {
    return this.#located.racked.get(codeKey(rackCode)) ?? NO_DEVICES;
  }

  /** Unracked devices, in the order of keys. */
  get devicesOutsideRacks(): readonly Device[] {
    return this.#located.free;
  }

  /** Locations of devices: racks first, unracked devices next, places without any device last. */
  places(): readonly Place[] {
    if (this.#places === undefined) {
      const occupied = [...this.#located.racked.values(), this.#located.free].flatMap(placesOf);
      this.#places = [...occupied, ...emptyPlaces(occupied, this.inventory)];
    }
    return this.#places;
  }

  /** Whether a rack, device or cooling unit is located in a site, floor, room, row, zone or rack. */
  hasPlace(scope: Ref): boolean {
    return placesByArea(this.places()).has(areaKey(scope));
  }

  /** Which kinds of heat have a cooling unit recorded that serves a rack. */
  mediaServing(rack: Rack): MediaServed {
    return servedAround(this.inventory.cracs, rack);
  }

  /** Supply of a rack; computed once. */
  rackSupply(rackCode: string): RackSupply {
    return this.#rackFacts(rackCode).supply(this);
  }

  /** Load of each supply side of a rack; computed once. */
  rackPathLoads(rackCode: string, basis: LoadBasis): readonly PathLoad[] {
    return this.#rackFacts(rackCode).pathLoads(this, basis);
  }

  /** Judges supplies against demands. */
  get redundancy(): RedundancyAudit {
    return this.#figures.redundancy;
  }

  /** Which single losses turn a node off, as things are now; found for each node once. */
  get killers(): KillerSets {
    return this.#figures.redundancy.now;
  }

  /** Load of every node now and after one loss; computed once. */
  carried(basis: LoadBasis): CarriedLoads {
    return this.#figures.carried(basis);
  }

  /** Computes in steps what `carried` and everything that judges loads would otherwise compute at once. */
  *judge(basis: LoadBasis): Steps<void> {
    yield* this.#figures.carriedInSteps(basis);
  }

  /** Findings about the loads of the supplies of a rack; computed once. */
  powerFindings(rackCode: string, basis: LoadBasis): readonly HealthReason[] {
    const known = this.#overloads.get(basis) ?? groupFindingsByRack(this.power, this.#figures.findings(basis));
    this.#overloads.set(basis, known);
    return known.get(codeKey(rackCode)) ?? NO_REASONS;
  }

  /** Units, heat and health of a rack; computed again when the rack or the hour changes. */
  rackStanding(rack: Rack, moment: RackMoment): RackStanding {
    return this.#rackFacts(rack.code).standing(rack, this, moment);
  }

  /** Heat of a rack and its hotspots; computed once. */
  rackHeat(rack: Rack, basis: LoadBasis): RackHeat {
    return this.#rackFacts(rack.code).heat(rack, this, basis);
  }

  /** Verdicts on all devices with required redundancy; computed once per rack. */
  redundancyVerdicts(): readonly RedundancyVerdict[] {
    this.#verdicts ??= [NO_RACK, ...this.#located.racked.keys()].flatMap((rack) =>
      this.#rackFacts(rack).redundancy(this),
    );
    return this.#verdicts;
  }

  /** Codes of devices that do not have the redundancy that is demanded, as built or for now. */
  redundancyUnmet(): readonly string[] {
    return this.redundancyVerdicts()
      .filter(isUnmet)
      .map(({ code }) => code);
  }

  /** Codes of devices of which the record does not prove the redundancy that is demanded. */
  redundancyUnknown(): readonly string[] {
    return this.redundancyVerdicts()
      .filter(isUnproven)
      .map(({ code }) => code);
  }

  #rackFacts(rackCode: string): RackFacts {
    const key = codeKey(rackCode);
    const rack = this.rack(key);
    const devices = key === NO_RACK ? this.#located.free : this.devicesInRack(key);
    const known = this.#facts.get(key);
    if (known?.isOf(rack, devices) === true) return known;
    const made = new RackFacts(rack, devices);
    this.#facts.set(key, made);
    return made;
  }

  /** The port at the other end of a port's power cable. */
  cabledTo(end: PortRef): PortRef | undefined {
    return this.#editor.cabledTo(portKey(end));
  }

  /** Keys of the power cables that end at a device's power ports. */
  cableKeysOf(deviceCode: string): readonly string[] {
    const device = this.device(deviceCode);
    return (device?.ports ?? []).flatMap(({ name }) => {
      const end = { deviceCode, portName: name };
      const other = this.cabledTo(end);
      return other === undefined ? [] : [edgeKey(end, other)];
    });
  }

  /**
   * Returns the topology after a change. Cost: the changed resources, their neighbours and a copy of the changed lists.
   *
   * @param keys what changed; cables are those of changed devices as well
   * @param after the part of the power inventory that these keys name, as it is now
   */
  changed(keys: ChangedKeys, after: Inventory): Topology {
    return this.#followed(keys, after, new Map(this.#facts)).topology;
  }

  /**
   * Returns the topology after a change that may never be made. Results about it are not cached where this topology, or
   * one that follows it, would find them.
   *
   * @param keys as for `changed`
   * @param after as for `changed`
   */
  drafted(keys: ChangedKeys, after: Inventory): Drafted {
    return this.#followed(keys, after, new Map());
  }

  /** @param facts of racks that may stay as they are; those of others are taken away */
  #followed(keys: ChangedKeys, after: Inventory, facts: Map<string, RackFacts>): Drafted {
    const { inventory } = this;
    const racks = edits(inventory.racks, keys.rack, after.racks, codeOf);
    const devices = edits(inventory.devices, keys.device, after.devices, codeOf);
    const cracs = edits(inventory.cracs, keys.crac, after.cracs, codeOf);
    const cables = edits(inventory.cables, keys.cable, after.cables, resourceKey);
    const fabricLinks = edits(inventory.fabricLinks, keys.fabric_link, after.fabricLinks, resourceKey);
    const next = {
      racks: withEdits(inventory.racks, racks, codeOf),
      devices: withEdits(inventory.devices, devices, codeOf),
      cracs: withEdits(inventory.cracs, cracs, codeOf),
      cables: withEdits(inventory.cables, cables, resourceKey),
      fabricLinks: withEdits(inventory.fabricLinks, fabricLinks, resourceKey),
    };
    const supplied = { devices: devices.filter(concernsSupply), cracs: cracs.filter(concernsPower), cables };
    const others = [...devices, ...cracs].filter((change) => !concernsSupply(change));
    const editor = this.#editor.changed(
      { ...supplied, renewed: others.flatMap(({ after: owner }) => owner ?? []) },
      { device: (key) => itemAt(next.devices, key, codeOf), crac: (key) => itemAt(next.cracs, key, codeOf) },
    );
    const rewired = supplied.devices.length + supplied.cracs.length + cables.length > 0;
    const parts = { editor, located: relocate(this.#located, devices), facts };
    const touched = new Set([...racks.map(({ key }) => key), ...devices.flatMap(racksOf)]);
    if (!rewired && !others.some(concernsPower)) {
      return { topology: new Topology(next, { ...parts, figures: this.#figures }), racks: touched };
    }
    const graph = editor.graph();
    const { figures, altered } = this.#figures.followed(graph, editor.touched());
    for (const index of altered) {
      const node = graph.nodes[index];
      if (node?.kind !== "DEVICE") continue;
      const key = codeKey(node.device.rackCode ?? NO_RACK);
      facts.delete(key);
      touched.add(key);
    }
    touched.delete(NO_RACK);
    return { topology: new Topology(next, { ...parts, figures }), racks: touched };
  }
}

/** Keys of what changed, by kind. */
type ChangedKeys = Readonly<Record<ResourceKind, readonly string[]>>;

/** A topology after a change, and what the change reaches. */
export interface Drafted {
  readonly topology: Topology;
  /** Keys of the racks that changed, whose devices changed, or about whose supply anything may differ. */
  readonly racks: ReadonlySet<string>;
}

interface Parts {
  readonly editor: PowerGraphEditor;
  readonly figures: PowerFigures;
  readonly located: LocatedDevices;
  readonly facts: Map<string, RackFacts>;
}

/** In the place of a rack's key. */
const NO_RACK = "";
/** One for all empty racks, so that facts about them last. */
const NO_DEVICES: readonly Device[] = [];
const NO_REASONS: readonly HealthReason[] = [];
