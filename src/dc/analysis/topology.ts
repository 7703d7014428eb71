import { canonicalJson } from "#dc/model/canonical_json.ts";
import { codeKey } from "#dc/model/code.ts";
import type { Estate } from "#dc/model/estate.ts";
import { portKey } from "#dc/model/ref.ts";
import { edgeKey, resourceKey } from "#dc/model/resource_key.ts";
import type { Crac, Device, Rack, ResourceKind } from "#dc/model/resources.ts";
import type { LoadBasis } from "#dc/model/words.ts";
import { atOnce, type Steps } from "#kernel/steps.ts";
import { type Place, placesOf } from "./places.ts";
import type { PowerGraph } from "./power_graph.ts";
import { PowerGraphEditor } from "./power_graph_editor.ts";
import { type LiveSet, liveSet } from "./power_live.ts";
import { loads, loadsAfter } from "./power_load.ts";
import { type RackPower, rackPower } from "./rack_power.ts";
import { type RackSupply, rackSupply } from "./rack_supply.ts";
import { itemAt, withEdits } from "./sorted_list.ts";

const codeOf = ({ code }: { readonly code: string }) => codeKey(code);

/** What is worked out once, of the power graph alone. */
class Figures {
  readonly graph: PowerGraph;
  private liveNodes: LiveSet | undefined;
  private readonly carried = new Map<LoadBasis, Float64Array>();

  constructor(graph: PowerGraph) {
    this.graph = graph;
  }

  /** The figures of a graph in which nothing differs but what these nodes draw themselves. */
  redrawn(graph: PowerGraph, nodes: readonly number[]): Figures {
    const next = new Figures(graph);
    next.liveNodes = this.liveNodes;
    for (const [basis, before] of this.carried) {
      const { loadsW } = loadsAfter(graph, before, { live: next.live, reached: nodes }, basis);
      next.carried.set(basis, loadsW);
    }
    return next;
  }

  get live(): LiveSet {
    this.liveNodes ??= liveSet(this.graph);
    return this.liveNodes;
  }

  loads(basis: LoadBasis): Float64Array {
    const known = this.carried.get(basis) ?? loads(this.graph, this.live, basis);
    this.carried.set(basis, known);
    return known;
  }
}

/** The estate's graphs at one revision. It never changes; `changed` makes the next one, which shares what stayed. */
export class Topology {
  /** With power ports and power cables only, each list in the order of keys. */
  readonly estate: Estate;
  readonly power: PowerGraph;
  private readonly editor: PowerGraphEditor;
  private readonly figures: Figures;
  private readonly supplies = new Map<string, RackSupply>();
  private readonly rackPowers = new Map<string, RackPower>();
  private standing: readonly Place[] | undefined;
  private readonly racked: ReadonlyMap<string, readonly Device[]>;

  private constructor(
    estate: Estate,
    editor: PowerGraphEditor,
    figures: Figures,
    racked: ReadonlyMap<string, readonly Device[]>,
  ) {
    this.estate = estate;
    this.editor = editor;
    this.power = editor.graph();
    this.figures = figures;
    this.racked = racked;
  }

  /** Cost: O(devices + ports + cables). */
  static of(estate: Estate): Topology {
    return atOnce(Topology.build(estate));
  }

  /** The same in steps, live set and loads included. */
  static *build(estate: Estate): Steps<Topology> {
    const editor = yield* PowerGraphEditor.build(estate);
    const racked = new Map<string, Device[]>();
    for (const device of estate.devices) {
      if (device.rackCode === undefined) continue;
      const key = codeKey(device.rackCode);
      const list = racked.get(key);
      if (list === undefined) racked.set(key, [device]);
      else list.push(device);
    }
    const figures = new Figures(editor.graph());
    yield;
    figures.live;
    yield;
    figures.loads("ALLOCATED");
    return new Topology(estate, editor, figures, racked);
  }

  /** Which nodes have power before anything fails. */
  get live(): LiveSet {
    return this.figures.live;
  }

  /** What every node carries by allocated draw, in watts. */
  get loadsW(): Float64Array {
    return this.loads("ALLOCATED");
  }

  /** What every node carries, in watts. */
  loads(basis: LoadBasis): Float64Array {
    return this.figures.loads(basis);
  }

  device(code: string): Device | undefined {
    return itemAt(this.estate.devices, codeKey(code), codeOf);
  }

  rack(code: string): Rack | undefined {
    return itemAt(this.estate.racks, codeKey(code), codeOf);
  }

  crac(code: string): Crac | undefined {
    return itemAt(this.estate.cracs, codeKey(code), codeOf);
  }

  /** Devices of a rack in the order of keys. */
  devicesInRack(rackCode: string): readonly Device[] {
    return this.racked.get(codeKey(rackCode)) ?? [];
  }

  /** Where devices stand: racks first, what stands in none last. */
  places(): readonly Place[] {
    this.standing ??= [
      ...this.racked.values(),
      this.estate.devices.filter(({ rackCode }) => rackCode === undefined),
    ].flatMap(placesOf);
    return this.standing;
  }

  /** What a rack's state is judged by; worked out once. */
  rackSupply(rackCode: string): RackSupply {
    const key = codeKey(rackCode);
    const known = this.supplies.get(key);
    if (known !== undefined) return known;
    const isLive = ({ code }: Device) => this.live[this.power.indexOf.get(`device:${codeKey(code)}`) ?? -1] === 1;
    const made = rackSupply(this.devicesInRack(key), isLive);
    this.supplies.set(key, made);
    return made;
  }

  /** How a rack is supplied; worked out once. */
  rackPower(rackCode: string, basis: LoadBasis): RackPower {
    const key = codeKey(rackCode);
    const kept = `${basis} ${key}`;
    const made =
      this.rackPowers.get(kept) ??
      rackPower(this.power, this.live, this.devicesInRack(key), { basis, loadsW: this.loads(basis) });
    this.rackPowers.set(kept, made);
    return made;
  }

  /** Keys of the power cables that end at a device's power ports. */
  cableKeysOf(deviceCode: string): readonly string[] {
    const device = this.device(deviceCode);
    return (device?.ports ?? []).flatMap(({ name }) => {
      const end = { deviceCode, portName: name };
      const other = this.editor.cabledTo(portKey(end));
      return other === undefined ? [] : [edgeKey(end, other)];
    });
  }

  /**
   * The topology after a change. Cost: what changed and what hangs on it directly, and a copy of the changed lists.
   *
   * @param keys what changed; cables are those of changed devices as well
   * @param after the part of the power estate that these keys name, as it is now
   */
  changed(keys: Readonly<Record<ResourceKind, readonly string[]>>, after: Estate): Topology {
    const { estate } = this;
    const racks = edits(estate.racks, keys.rack, after.racks, codeOf);
    const devices = edits(estate.devices, keys.device, after.devices, codeOf);
    const cracs = edits(estate.cracs, keys.crac, after.cracs, codeOf);
    const cables = edits(estate.cables, keys.cable, after.cables, resourceKey);
    const fabricLinks = edits(estate.fabricLinks, keys.fabric_link, after.fabricLinks, resourceKey);
    const next = {
      racks: withEdits(estate.racks, racks, codeOf),
      devices: withEdits(estate.devices, devices, codeOf),
      cracs: withEdits(estate.cracs, cracs, codeOf),
      cables: withEdits(estate.cables, cables, resourceKey),
      fabricLinks: withEdits(estate.fabricLinks, fabricLinks, resourceKey),
    };
    const changes = {
      devices: devices.filter(concernsPower),
      cracs: cracs.filter(concernsPower),
      cables,
      renewed: [...devices, ...cracs].flatMap((change) => (concernsPower(change) ? [] : (change.after ?? []))),
    };
    const editor = this.editor.changed(changes, {
      device: (key) => itemAt(next.devices, key, codeOf),
      crac: (key) => itemAt(next.cracs, key, codeOf),
    });
    const rewired = changes.cracs.length + cables.length > 0 || changes.devices.some(concernsSupply);
    const figures = rewired ? new Figures(editor.graph()) : this.redrawn(editor.graph(), changes.devices);
    return new Topology(next, editor, figures, rackedAnew(this.racked, devices));
  }

  /** Figures shared as far as a change of these devices' draws leaves them. */
  private redrawn(graph: PowerGraph, devices: readonly Change<Device>[]): Figures {
    const nodes = devices.flatMap(({ key }) => graph.indexOf.get(`device:${key}`) ?? []);
    return nodes.length === 0 ? this.figures : this.figures.redrawn(graph, nodes);
  }
}

interface Change<Resource> {
  readonly key: string;
  readonly before?: Resource | undefined;
  readonly after?: Resource | undefined;
}

/** Everything that was or is under the keys, and whatever else was read. */
function edits<Resource>(
  list: readonly Resource[],
  keys: readonly string[],
  read: readonly Resource[],
  keyOf: (resource: Resource) => string,
): readonly Change<Resource>[] {
  const after = new Map(read.map((resource) => [keyOf(resource), resource]));
  return [...new Set([...keys, ...after.keys()])]
    .map((key) => ({ key, before: itemAt(list, key, keyOf), after: after.get(key) }))
    .filter((change) => change.before !== undefined || change.after !== undefined);
}

/** Whether a change can alter who has power or what anything carries; a new name or position cannot. */
function concernsPower({ before, after }: Change<Device | Crac>): boolean {
  return figuresOf(before) !== figuresOf(after);
}

function figuresOf(owner: Device | Crac | undefined): string {
  if (owner === undefined) return "";
  if ("sensibleCapacityKw" in owner) return canonicalJson(owner);
  const { maxDrawW, allocatedDrawW, measuredDrawW } = owner;
  return canonicalJson({ maxDrawW, allocatedDrawW, measuredDrawW, supply: supplyOf(owner) });
}

/** Whether a change can alter who has power or how loads are split, not only what a device draws. */
function concernsSupply({ before, after }: Change<Device>): boolean {
  return before === undefined || after === undefined || supplyOf(before) !== supplyOf(after);
}

function supplyOf({ kind, status, power, ports }: Device): string {
  return canonicalJson({ kind, status, power, ports });
}

function rackedAnew(
  racked: ReadonlyMap<string, readonly Device[]>,
  changes: readonly Change<Device>[],
): ReadonlyMap<string, readonly Device[]> {
  const next = new Map(racked);
  for (const { key, before, after } of changes) {
    const [from, to] = [before, after].map((device) => codeKey(device?.rackCode ?? ""));
    for (const rack of new Set([from, to])) {
      const edit = { key, after: rack === to ? after : undefined };
      if (rack !== undefined && rack !== "") next.set(rack, withEdits(next.get(rack) ?? [], [edit], codeOf));
    }
  }
  return next;
}
