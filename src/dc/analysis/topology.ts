import { codeKey } from "#dc/model/code.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { portKey, type Ref } from "#dc/model/ref.ts";
import { formatEdgeKey, getResourceKey } from "#dc/model/resource_key.ts";
import type { Crac, Device, PortRef, Rack, ResourceKind } from "#dc/model/resources.ts";
import type { PathLoad } from "#gen/datacenter/v1/messages.ts";
import { runAllSteps, type Steps } from "#kernel/steps.ts";
import { findServedMedia, type MediaServed } from "./cooling/cooling_units.ts";
import type { RackHeat } from "./cooling/thermal_spots.ts";
import { groupDevicesByRack, type LocatedDevices, updateDeviceGroups } from "./located_devices.ts";
import {
  type DeviceLocation,
  formatAreaKey,
  groupByLocation,
  indexLocationsByArea,
  listEmptyLocations,
} from "./places.ts";
import type { Loads } from "./power/load_lanes.ts";
import { PowerFigures } from "./power/power_figures.ts";
import { type CarriedLoads, groupFindingsByRack } from "./power/power_findings.ts";
import type { PowerGraph } from "./power/power_graph.ts";
import { PowerGraphEditor } from "./power/power_graph_editor.ts";
import type { KillerSets } from "./power/power_killers.ts";
import type { LiveSet } from "./power/power_live.ts";
import {
  isRedundancyUnmet,
  isRedundancyUnproven,
  type RedundancyAudit,
  type RedundancyVerdict,
} from "./power/redundancy_audit.ts";
import { RackFacts, type RackMoment, type RackStanding } from "./racks/rack_facts.ts";
import type { HealthReason } from "./racks/rack_health.ts";
import type { RackSupply } from "./racks/rack_supply.ts";
import { canChangePower, canChangeSupply, listChangedRackKeys, listResourceChanges } from "./resource_changes.ts";
import { applyListEdits, findItemByKey } from "./sorted_list.ts";

const codeOf = ({ code }: { readonly code: string }) => codeKey(code);

/** Immutable graphs of one inventory revision; `changed` creates the next one, which shares unchanged parts. */
export class Topology {
  /** Inventory with power ports and power cables only, each list sorted by key. */
  readonly inventory: Inventory;
  readonly power: PowerGraph;
  readonly #editor: PowerGraphEditor;
  readonly #figures: PowerFigures;
  #places: readonly DeviceLocation[] | undefined;
  #verdicts: readonly RedundancyVerdict[] | undefined;
  /** Load findings by basis, then by the key of the rack. */
  readonly #overloads = new Map<LoadBasis, ReadonlyMap<string, readonly HealthReason[]>>();
  readonly #located: LocatedDevices;
  /** Facts by the key of the rack; shared with earlier topologies until the resources of a rack change. */
  readonly #facts: Map<string, RackFacts>;

  private constructor(inventory: Inventory, { editor, figures, located, facts }: Parts) {
    this.inventory = inventory;
    this.#editor = editor;
    this.power = editor.graph();
    this.#figures = figures;
    this.#located = located;
    this.#facts = facts;
  }

  /** Builds the graphs. Cost: O(devices + ports + cables). */
  static of(inventory: Inventory): Topology {
    return runAllSteps(Topology.build(inventory));
  }

  /** Builds the graphs in steps, including live set and loads. */
  static *build(inventory: Inventory): Steps<Topology> {
    const editor = yield* PowerGraphEditor.build(inventory);
    const located = groupDevicesByRack(inventory.devices);
    const figures = new PowerFigures(editor.graph());
    yield;
    figures.live;
    yield;
    figures.loads("ALLOCATED");
    return new Topology(inventory, { editor, figures, located, facts: new Map() });
  }

  /** Nodes that have power before anything fails. */
  get live(): LiveSet {
    return this.#figures.live;
  }

  /** Load of every node by allocated draw, in watts. */
  get loadsW(): Float64Array {
    return this.loads("ALLOCATED");
  }

  /** Returns the load of every node in watts. */
  loads(basis: LoadBasis): Float64Array {
    return this.#figures.loads(basis).watts;
  }

  /** Returns the load of every node in watts, and the load of its phases in volt-amperes. */
  apparentLoads(basis: LoadBasis): Loads {
    return this.#figures.loads(basis);
  }

  device(code: string): Device | undefined {
    return findItemByKey(this.inventory.devices, codeKey(code), codeOf);
  }

  rack(code: string): Rack | undefined {
    return findItemByKey(this.inventory.racks, codeKey(code), codeOf);
  }

  crac(code: string): Crac | undefined {
    return findItemByKey(this.inventory.cracs, codeKey(code), codeOf);
  }

  /** Returns the devices of a rack sorted by key. */
  devicesInRack(rackCode: string): readonly Device[] {
    return this.#located.racked.get(codeKey(rackCode)) ?? NO_DEVICES;
  }

  /** Unracked devices sorted by key. */
  get devicesOutsideRacks(): readonly Device[] {
    return this.#located.free;
  }

  /** Locations of devices: racks first, unracked devices next, locations without devices last. */
  places(): readonly DeviceLocation[] {
    if (this.#places === undefined) {
      const occupied = [...this.#located.racked.values(), this.#located.free].flatMap(groupByLocation);
      this.#places = [...occupied, ...listEmptyLocations(occupied, this.inventory)];
    }
    return this.#places;
  }

  /** Whether a site, floor, room, row, zone or rack contains a rack, device or cooling unit. */
  hasPlace(scope: Ref): boolean {
    return indexLocationsByArea(this.places()).has(formatAreaKey(scope));
  }

  /** Returns the media for which a recorded cooling unit serves a rack. */
  mediaServing(rack: Rack): MediaServed {
    return findServedMedia(this.inventory.cracs, rack);
  }

  /** Returns the supply counts of a rack; computed once. */
  rackSupply(rackCode: string): RackSupply {
    return this.#rackFacts(rackCode).supply(this);
  }

  /** Returns the load of each supply side of a rack; computed once. */
  rackPathLoads(rackCode: string, basis: LoadBasis): readonly PathLoad[] {
    return this.#rackFacts(rackCode).pathLoads(this, basis);
  }

  /** Comparison of supplies with the required redundancy. */
  get redundancy(): RedundancyAudit {
    return this.#figures.redundancy;
  }

  /** Finds the single losses that turn off a node in the present state; computed once for each node. */
  get killers(): KillerSets {
    return this.#figures.redundancy.now;
  }

  /** Returns the load of every node now and after one loss; computed once. */
  carried(basis: LoadBasis): CarriedLoads {
    return this.#figures.carried(basis);
  }

  /** Computes `carried` and all results that depend on loads in steps, so that later calls do not block. */
  *judge(basis: LoadBasis): Steps<void> {
    yield* this.#figures.carriedInSteps(basis);
  }

  /** Returns findings about the loads of a rack's supplies; computed once. */
  powerFindings(rackCode: string, basis: LoadBasis): readonly HealthReason[] {
    const known = this.#overloads.get(basis) ?? groupFindingsByRack(this.power, this.#figures.findings(basis));
    this.#overloads.set(basis, known);
    return known.get(codeKey(rackCode)) ?? NO_REASONS;
  }

  /** Returns units, heat and health of a rack; recomputed when the rack or the hour changes. */
  rackStanding(rack: Rack, moment: RackMoment): RackStanding {
    return this.#rackFacts(rack.code).standing(rack, this, moment);
  }

  /** Returns the heat and hotspots of a rack; computed once. */
  rackHeat(rack: Rack, basis: LoadBasis): RackHeat {
    return this.#rackFacts(rack.code).heat(rack, this, basis);
  }

  /** Returns verdicts on all devices with required redundancy; computed once per rack. */
  redundancyVerdicts(): readonly RedundancyVerdict[] {
    this.#verdicts ??= [NO_RACK, ...this.#located.racked.keys()].flatMap((rack) =>
      this.#rackFacts(rack).redundancy(this),
    );
    return this.#verdicts;
  }

  /** Returns codes of devices without their required redundancy, as built or now. */
  redundancyUnmet(): readonly string[] {
    return this.redundancyVerdicts()
      .filter(isRedundancyUnmet)
      .map(({ code }) => code);
  }

  /** Returns codes of devices whose record neither proves nor disproves their required redundancy. */
  redundancyUnknown(): readonly string[] {
    return this.redundancyVerdicts()
      .filter(isRedundancyUnproven)
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

  /** Returns the port at the other end of a port's power cable. */
  cabledTo(end: PortRef): PortRef | undefined {
    return this.#editor.cabledTo(portKey(end));
  }

  /** Returns keys of the power cables that end at a device's power ports. */
  cableKeysOf(deviceCode: string): readonly string[] {
    const device = this.device(deviceCode);
    return (device?.ports ?? []).flatMap(({ name }) => {
      const end = { deviceCode, portName: name };
      const other = this.cabledTo(end);
      return other === undefined ? [] : [formatEdgeKey(end, other)];
    });
  }

  /**
   * Returns the topology after a change. Cost: the changed resources, their neighbours and a copy of the changed lists.
   *
   * @param keys keys of changed resources; cables must include those of changed devices
   * @param after power inventory under these keys after the change
   */
  changed(keys: ChangedKeys, after: Inventory): Topology {
    return this.#followed(keys, after, new Map(this.#facts)).topology;
  }

  /**
   * Returns the topology after a change that may never be made. Its results are not cached in this topology or in later
   * topologies.
   * @param keys as for `changed`
   * @param after as for `changed`
   */
  drafted(keys: ChangedKeys, after: Inventory): DraftTopology {
    return this.#followed(keys, after, new Map());
  }

  /** Creates the topology after a change. @param facts cached facts, from which those of changed racks are removed */
  #followed(keys: ChangedKeys, after: Inventory, facts: Map<string, RackFacts>): DraftTopology {
    const { inventory } = this;
    const racks = listResourceChanges(inventory.racks, keys.rack, after.racks, codeOf);
    const devices = listResourceChanges(inventory.devices, keys.device, after.devices, codeOf);
    const cracs = listResourceChanges(inventory.cracs, keys.crac, after.cracs, codeOf);
    const cables = listResourceChanges(inventory.cables, keys.cable, after.cables, getResourceKey);
    const fabricLinks = listResourceChanges(inventory.fabricLinks, keys.fabric_link, after.fabricLinks, getResourceKey);
    const next = {
      racks: applyListEdits(inventory.racks, racks, codeOf),
      devices: applyListEdits(inventory.devices, devices, codeOf),
      cracs: applyListEdits(inventory.cracs, cracs, codeOf),
      cables: applyListEdits(inventory.cables, cables, getResourceKey),
      fabricLinks: applyListEdits(inventory.fabricLinks, fabricLinks, getResourceKey),
    };
    const supplied = { devices: devices.filter(canChangeSupply), cracs: cracs.filter(canChangePower), cables };
    const others = [...devices, ...cracs].filter((change) => !canChangeSupply(change));
    const editor = this.#editor.changed(
      { ...supplied, renewed: others.flatMap(({ after: owner }) => owner ?? []) },
      {
        device: (key) => findItemByKey(next.devices, key, codeOf),
        crac: (key) => findItemByKey(next.cracs, key, codeOf),
      },
    );
    const rewired = supplied.devices.length + supplied.cracs.length + cables.length > 0;
    const parts = { editor, located: updateDeviceGroups(this.#located, devices), facts };
    const touched = new Set([...racks.map(({ key }) => key), ...devices.flatMap(listChangedRackKeys)]);
    if (!rewired && !others.some(canChangePower)) {
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

/** Keys of changed resources by kind. */
type ChangedKeys = Readonly<Record<ResourceKind, readonly string[]>>;

/** A topology after a change, and the racks that the change affects. */
export interface DraftTopology {
  readonly topology: Topology;
  /** Keys of the racks that changed, whose devices changed, or whose supply may differ. */
  readonly racks: ReadonlySet<string>;
}

interface Parts {
  readonly editor: PowerGraphEditor;
  readonly figures: PowerFigures;
  readonly located: LocatedDevices;
  readonly facts: Map<string, RackFacts>;
}

/** Key for devices outside of racks. */
const NO_RACK = "";
/** One list for all empty racks, because cached facts are valid only for the same list. */
const NO_DEVICES: readonly Device[] = [];
const NO_REASONS: readonly HealthReason[] = [];
