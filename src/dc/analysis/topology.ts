import type { PathLoad } from "#gen/datacenter/v1/messages.ts";
import { formatCanonicalJson } from "#kernel/json_object.ts";
import { runAllSteps, type Steps } from "#kernel/steps.ts";
import type { LoadBasis } from "../model/enum_values.ts";
import type { Inventory } from "../model/inventory.ts";
import { codeKey, formatEdgeKey, getResourceKey, listEdgeDeviceKeys, type Ref, toPortKey } from "../model/ref.ts";
import type { Crac, Device, PortRef, Rack, ResourceKind } from "../model/resources.ts";
import { findServedMedia, type MediaServed } from "./cooling/cooling_units.ts";
import type { RackHeat } from "./cooling/thermal_spots.ts";
import { applyListEdits, findItemByKey } from "./persistent.ts";
import {
  type DeviceLocation,
  formatAreaKey,
  groupByLocation,
  indexLocationsByArea,
  listEmptyLocations,
} from "./places.ts";
import type { Loads } from "./power/load_lanes.ts";
import { type CarriedLoads, groupFindingsByRack } from "./power/power_failover.ts";
import { PowerFigures, type RedundancyAudit, type RedundancyVerdict } from "./power/power_figures.ts";
import { PowerGraphEditor } from "./power/power_graph_editor.ts";
import type { KillerSets } from "./power/power_killers.ts";
import type { LiveSet } from "./power/power_live.ts";
import type { PowerGraph } from "./power/power_nodes.ts";
import type { HealthReason, RackSupply } from "./racks/rack_elevation.ts";
import { RackFacts, type RackMoment, type RackStanding } from "./racks/rack_facts.ts";

const getCodeKey = ({ code }: { readonly code: string }) => codeKey(code);

/** Immutable graphs of one inventory revision; `changed` creates the next one, which shares unchanged parts. */
export class Topology {
  /** Inventory with power ports and power cables only, each list sorted by key. */
  readonly inventory: Inventory;
  readonly power: PowerGraph;
  /** The same for two topologies whose devices have the same data paths. */
  readonly dataNetwork: DataNetwork;
  /** The same for topologies in which each device of both has the same node number. */
  readonly numbering: object;
  readonly #editor: PowerGraphEditor;
  readonly #figures: PowerFigures;
  #locations: readonly DeviceLocation[] | undefined;
  #verdicts: readonly RedundancyVerdict[] | undefined;
  /** Load findings by basis, then by the key of the rack. */
  readonly #findingsByBasis = new Map<LoadBasis, ReadonlyMap<string, readonly HealthReason[]>>();
  readonly #deviceGroups: LocatedDevices;
  /** Facts by the key of the rack; shared with earlier topologies until the resources of a rack change. */
  readonly #factsByRack: Map<string, RackFacts>;

  private constructor(
    inventory: Inventory,
    { editor, figures, located, facts, dataNetwork, numbering }: TopologyParts,
  ) {
    this.inventory = inventory;
    this.dataNetwork = dataNetwork;
    this.numbering = numbering;
    this.#editor = editor;
    this.power = editor.getGraph();
    this.#figures = figures;
    this.#deviceGroups = located;
    this.#factsByRack = facts;
  }

  /** Builds the graphs. Cost: O(devices + ports + cables). */
  static createFromInventory(inventory: Inventory): Topology {
    return runAllSteps(Topology.buildInSteps(inventory));
  }

  /** Builds the graphs in steps, including live set and loads. @param dataNetwork that of a topology with other draws */
  static *buildInSteps(inventory: Inventory, dataNetwork = new DataNetwork()): Steps<Topology> {
    const editor = yield* PowerGraphEditor.buildInSteps(inventory);
    const located = groupDevicesByRack(inventory.devices);
    const figures = new PowerFigures(editor.getGraph());
    yield;
    figures.live;
    yield;
    figures.getLoads("ALLOCATED");
    return new Topology(inventory, { editor, figures, located, facts: new Map(), dataNetwork, numbering: {} });
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
    return this.#figures.getLoads(basis).watts;
  }

  /** Returns the load of every node in watts, and the load of its phases in volt-amperes. */
  apparentLoads(basis: LoadBasis): Loads {
    return this.#figures.getLoads(basis);
  }

  device(code: string): Device | undefined {
    return findItemByKey(this.inventory.devices, codeKey(code), getCodeKey);
  }

  rack(code: string): Rack | undefined {
    return findItemByKey(this.inventory.racks, codeKey(code), getCodeKey);
  }

  crac(code: string): Crac | undefined {
    return findItemByKey(this.inventory.cracs, codeKey(code), getCodeKey);
  }

  /** Returns the devices of a rack sorted by key. */
  listDevicesInRack(rackCode: string): readonly Device[] {
    return this.#deviceGroups.racked.get(codeKey(rackCode)) ?? NO_DEVICES;
  }

  /** Unracked devices sorted by key. */
  get devicesOutsideRacks(): readonly Device[] {
    return this.#deviceGroups.unracked;
  }

  /** Locations of devices: racks first, unracked devices next, locations without devices last. */
  listLocations(): readonly DeviceLocation[] {
    if (this.#locations === undefined) {
      const occupied = [...this.#deviceGroups.racked.values(), this.#deviceGroups.unracked].flatMap(groupByLocation);
      this.#locations = [...occupied, ...listEmptyLocations(occupied, this.inventory)];
    }
    return this.#locations;
  }

  /** Whether a site, floor, room, row, zone or rack contains a rack, device or cooling unit. */
  hasLocation(scope: Ref): boolean {
    return indexLocationsByArea(this.listLocations()).has(formatAreaKey(scope));
  }

  /** Returns the media for which a recorded cooling unit serves a rack. */
  mediaServing(rack: Rack): MediaServed {
    return findServedMedia(this.inventory.cracs, rack);
  }

  /** Returns the supply counts of a rack; computed once. */
  rackSupply(rackCode: string): RackSupply {
    return this.#getRackFacts(rackCode).countSupply(this);
  }

  /** Returns the load of each supply side of a rack; computed once. */
  computeRackPathLoads(rackCode: string, basis: LoadBasis): readonly PathLoad[] {
    return this.#getRackFacts(rackCode).getPathLoads(this, basis);
  }

  /** Comparison of supplies with the required redundancy. */
  get redundancy(): RedundancyAudit {
    return this.#figures.redundancy;
  }

  /** Finds the single losses that turn off a node in the present state; computed once for each node. */
  get killers(): KillerSets {
    return this.#figures.redundancy.killersNow;
  }

  /** Returns the load of every node now and after one loss; computed once. */
  computeCarriedLoads(basis: LoadBasis): CarriedLoads {
    return this.#figures.getCarriedLoads(basis);
  }

  /** Computes `carried` and all results that depend on loads in steps, so that later calls do not block. */
  *judge(basis: LoadBasis): Steps<void> {
    yield* this.#figures.computeCarriedInSteps(basis);
  }

  /** Returns findings about the loads of a rack's supplies; computed once. */
  powerFindings(rackCode: string, basis: LoadBasis): readonly HealthReason[] {
    const known = this.#findingsByBasis.getOrInsertComputed(basis, () =>
      groupFindingsByRack(this.power, this.#figures.getFindings(basis)),
    );
    return known.get(codeKey(rackCode)) ?? NO_REASONS;
  }

  /** Returns units, heat and health of a rack; recomputed when the rack or the hour changes. */
  computeRackStanding(rack: Rack, moment: RackMoment): RackStanding {
    return this.#getRackFacts(rack.code).computeStanding(rack, this, moment);
  }

  /** Returns the heat and hotspots of a rack; computed once. */
  computeRackHeat(rack: Rack, basis: LoadBasis): RackHeat {
    return this.#getRackFacts(rack.code).computeHeat(rack, this, basis);
  }

  /** Returns verdicts on all devices with required redundancy; computed once per rack. */
  listRedundancyVerdicts(): readonly RedundancyVerdict[] {
    this.#verdicts ??= [NO_RACK_KEY, ...this.#deviceGroups.racked.keys()].flatMap((rack) =>
      this.#getRackFacts(rack).redundancy(this),
    );
    return this.#verdicts;
  }

  #getRackFacts(rackCode: string): RackFacts {
    const key = codeKey(rackCode);
    const rack = this.rack(key);
    const devices = key === NO_RACK_KEY ? this.#deviceGroups.unracked : this.listDevicesInRack(key);
    const known = this.#factsByRack.get(key);
    if (known?.isAbout(rack, devices) === true) return known;
    const made = new RackFacts(rack, devices);
    this.#factsByRack.set(key, made);
    return made;
  }

  /** Returns the port at the other end of a port's power cable. */
  findCabledPort(end: PortRef): PortRef | undefined {
    return this.#editor.findCabledPort(toPortKey(end));
  }

  /** Returns keys of the power cables that end at a device's power ports. */
  listCableKeys(deviceCode: string): readonly string[] {
    const device = this.device(deviceCode);
    return (device?.ports ?? []).flatMap(({ name }) => {
      const end = { deviceCode, portName: name };
      const other = this.findCabledPort(end);
      return other === undefined ? [] : [formatEdgeKey(end, other)];
    });
  }

  /**
   * Returns the topology after a change. Cost: the changed resources, their neighbours and a copy of the changed lists.
   *
   * @param keys keys of changed resources; cables must include those of changed devices
   * @param after power inventory under these keys after the change
   */
  createChanged(keys: ChangedKeys, after: Inventory): Topology {
    return this.#createNext(keys, after, new Map(this.#factsByRack)).topology;
  }

  /**
   * Returns the topology after a change that may never be made. Its results are not cached in this topology or in later
   * topologies.
   * @param keys as for `changed`
   * @param after as for `changed`
   */
  createDraft(keys: ChangedKeys, after: Inventory): DraftTopology {
    return this.#createNext(keys, after, new Map());
  }

  /** Creates the topology after a change. @param facts cached facts, from which those of changed racks are removed */
  #createNext(keys: ChangedKeys, after: Inventory, facts: Map<string, RackFacts>): DraftTopology {
    const { inventory } = this;
    const racks = listResourceChanges(inventory.racks, keys.rack, after.racks, getCodeKey);
    const devices = listResourceChanges(inventory.devices, keys.device, after.devices, getCodeKey);
    const cracs = listResourceChanges(inventory.cracs, keys.crac, after.cracs, getCodeKey);
    const cables = listResourceChanges(inventory.cables, keys.cable, after.cables, getResourceKey);
    const fabricLinks = listResourceChanges(inventory.fabricLinks, keys.fabric_link, after.fabricLinks, getResourceKey);
    const next = {
      racks: applyListEdits(inventory.racks, racks, getCodeKey),
      devices: applyListEdits(inventory.devices, devices, getCodeKey),
      cracs: applyListEdits(inventory.cracs, cracs, getCodeKey),
      cables: applyListEdits(inventory.cables, cables, getResourceKey),
      fabricLinks: applyListEdits(inventory.fabricLinks, fabricLinks, getResourceKey),
    };
    const supplied = { devices: devices.filter(canChangeSupply), cracs: cracs.filter(canChangePower), cables };
    const others = [...devices, ...cracs].filter((change) => !canChangeSupply(change));
    const editor = this.#editor.createChanged(
      { ...supplied, renewedOwners: others.flatMap(({ after: owner }) => owner ?? []) },
      {
        device: (key) => findItemByKey(next.devices, key, getCodeKey),
        crac: (key) => findItemByKey(next.cracs, key, getCodeKey),
      },
    );
    const rewired = supplied.devices.length + supplied.cracs.length + cables.length > 0;
    const power = new Set(cables.map(({ key }) => key));
    const recabled = [
      ...keys.cable.filter((key) => !power.has(key)).flatMap(listEdgeDeviceKeys),
      ...fabricLinks.flatMap(({ key }) => listEdgeDeviceKeys(key)),
      ...devices.filter(({ before, after }) => before?.kind !== after?.kind).map(({ key }) => key),
    ];
    const dataNetwork =
      recabled.length + devices.length === 0
        ? this.dataNetwork
        : this.dataNetwork.createChanged(
            recabled,
            devices.map(({ key }) => key),
          );
    const located = updateDeviceGroups(this.#deviceGroups, devices);
    const parts = { editor, located, facts, dataNetwork, numbering: this.numbering };
    const touched = new Set([...racks.map(({ key }) => key), ...devices.flatMap(listChangedRackKeys)]);
    if (!rewired && !others.some(canChangePower)) {
      return { topology: new Topology(next, { ...parts, figures: this.#figures }), racks: touched };
    }
    const graph = editor.getGraph();
    const { figures, alteredNodes } = this.#figures.createUpdated(graph, editor.collectTouchedNodes());
    for (const index of alteredNodes) {
      const node = graph.nodes[index];
      if (node?.kind !== "DEVICE") continue;
      const key = codeKey(node.device.rackCode ?? NO_RACK_KEY);
      facts.delete(key);
      touched.add(key);
    }
    touched.delete(NO_RACK_KEY);
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

interface TopologyParts {
  readonly editor: PowerGraphEditor;
  readonly figures: PowerFigures;
  readonly located: LocatedDevices;
  readonly facts: Map<string, RackFacts>;
  readonly dataNetwork: DataNetwork;
  readonly numbering: object;
}

/** Keys of the devices along each data path of a host, by the key of the host: patch panels, and the switch at its end. */
export type PathsByHostKey = ReadonlyMap<string, readonly (readonly string[])[]>;

/** Maximum number of changed devices and ends of cables that are read one by one. Our choice: for more, all are read. */
const MAX_RECABLED_DEVICES = 5000;

/** Data paths of an earlier state, and what can have changed them since. */
export interface EarlierPaths {
  readonly paths: PathsByHostKey;
  /** Keys of the devices at which cables or links changed, and of those that are new, removed or of another kind. */
  readonly recabled: ReadonlySet<string>;
  /** Keys of all changed devices. Those that paths pass may connect other ports now, which a topology does not know. */
  readonly changed: ReadonlySet<string>;
}

/** The data paths of all devices. Before they are read, the earlier paths and the devices to read again. */
export class DataNetwork {
  #paths: PathsByHostKey | undefined;
  #earlier: EarlierPaths | undefined;
  /** Fabric links that a device out of service blocks between their ends, by key; undefined before they are read. */
  blockedLinks: ReadonlyMap<string, Device> | undefined;

  get paths(): PathsByHostKey | undefined {
    return this.#paths;
  }

  get earlier(): EarlierPaths | undefined {
    return this.#earlier;
  }

  setPaths(paths: PathsByHostKey): void {
    this.#paths = paths;
    this.#earlier = undefined;
  }

  createChanged(recabled: readonly string[], changed: readonly string[]): DataNetwork {
    const next = new DataNetwork();
    const paths = this.#paths ?? this.#earlier?.paths;
    const all = new Set([...(this.#earlier?.recabled ?? []), ...recabled]);
    const devices = new Set([...(this.#earlier?.changed ?? []), ...changed]);
    if (paths !== undefined && all.size + devices.size <= MAX_RECABLED_DEVICES)
      next.#earlier = { paths, recabled: all, changed: devices };
    return next;
  }
}

/** Key for devices outside of racks. */
const NO_RACK_KEY = "";
/** One list for all empty racks, because cached facts are valid only for the same list. */
const NO_DEVICES: readonly Device[] = [];
const NO_REASONS: readonly HealthReason[] = [];

/** Devices grouped by rack, each list sorted by key. */
interface LocatedDevices {
  /** Devices in racks by the key of the rack. */
  readonly racked: ReadonlyMap<string, readonly Device[]>;
  /** Devices outside of racks, sorted by key. */
  readonly unracked: readonly Device[];
}

/** Groups devices by rack. @param devices sorted by key */
function groupDevicesByRack(devices: readonly Device[]): LocatedDevices {
  const racked = Map.groupBy(devices, ({ rackCode = "" }) => codeKey(rackCode));
  const unracked = racked.get("") ?? [];
  racked.delete("");
  return { racked, unracked };
}

/** Returns the groups after changes of devices. Cost: a copy of the map of racks, and of the lists that change. */
function updateDeviceGroups(
  { racked, unracked }: LocatedDevices,
  changes: readonly ResourceChange<Device>[],
): LocatedDevices {
  const lists = new Map(racked);
  const outside: ResourceChange<Device>[] = [];
  for (const { key, before, after } of changes) {
    const [from, to] = [before, after].map((device) => device && codeKey(device.rackCode ?? ""));
    for (const rack of new Set([from, to])) {
      const edit = { key, after: rack === to ? after : undefined };
      if (rack === "") outside.push(edit);
      else if (rack !== undefined) lists.set(rack, applyListEdits(lists.get(rack) ?? [], [edit], getCodeKey));
    }
  }
  return { racked: lists, unracked: applyListEdits(unracked, outside, getCodeKey) };
}

interface ResourceChange<Resource> {
  readonly key: string;
  readonly before?: Resource | undefined;
  readonly after?: Resource | undefined;
}

/** Pairs resources before and after a change: those under changed keys, and all that were read after the change. */
function listResourceChanges<Resource>(
  list: readonly Resource[],
  keys: readonly string[],
  read: readonly Resource[],
  getKey: (resource: Resource) => string,
): readonly ResourceChange<Resource>[] {
  const after = new Map(read.map((resource) => [getKey(resource), resource]));
  return [...new Set([...keys, ...after.keys()])]
    .map((key) => ({ key, before: findItemByKey(list, key, getKey), after: after.get(key) }))
    .filter((change) => change.before !== undefined || change.after !== undefined);
}

/** Returns keys of the racks that a device was in before and is in after a change. */
function listChangedRackKeys({ before, after }: ResourceChange<Device>): readonly string[] {
  return [before, after].flatMap((device) => (device?.rackCode === undefined ? [] : codeKey(device.rackCode)));
}

/** Whether a change can alter which nodes have power or any load. A new name or position cannot. */
function canChangePower({ before, after }: ResourceChange<Device | Crac>): boolean {
  return formatPowerFields(before) !== formatPowerFields(after);
}

function formatPowerFields(owner: Device | Crac | undefined): string {
  if (owner === undefined) return "";
  if (isCrac(owner)) return formatCanonicalJson(owner);
  const { maxDrawW, allocatedDrawW, measuredDrawW, powerFactor } = owner;
  return formatCanonicalJson({
    maxDrawW,
    allocatedDrawW,
    measuredDrawW,
    powerFactor,
    supply: formatSupplyFields(owner),
  });
}

/** Whether a change can alter which nodes have power or how loads are divided, not only the draw of a device. */
function canChangeSupply(change: ResourceChange<Device | Crac>): boolean {
  const { before, after } = change;
  if (before === undefined || after === undefined) return true;
  return isCrac(before) || isCrac(after)
    ? canChangePower(change)
    : formatSupplyFields(before) !== formatSupplyFields(after);
}

function isCrac(owner: Device | Crac): owner is Crac {
  return "sensibleCapacityKw" in owner;
}

function formatSupplyFields({ kind, status, power, ports, parentDeviceCode, bay, mount }: Device): string {
  return formatCanonicalJson({ kind, status, power, ports, parentDeviceCode, bay, mount });
}
