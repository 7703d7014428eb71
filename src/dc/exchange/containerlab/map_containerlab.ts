import { orderCableEnds } from "#dc/model/ref.ts";
import type { Cable, Device, FabricLink, Port, PortRef } from "#dc/model/resources.ts";
import { LIST_SIZES, TEXT_LENGTHS } from "#gen/datacenter/v1/bounds.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { assignCodes, convertToCode, convertToSlug, describeResource, UniquePortNames } from "../codes.ts";
import { type MappedSource, OmissionLog, removeEmptyFields, type SourceItem } from "../items.ts";

/** Result of the mapping for each element of a topology, as documents state it. */
export const CONTAINERLAB_MAPPINGS: Readonly<Record<string, string>> = {
  "`name`": "Site, and fabric of all links",
  "Node, with what `defaults`, `kinds` and `groups` say of it":
    "Device. Its `type` is the model; kind, image and group are labels",
  "`labels.role`, `labels.graph-icon`, `group`, else the node's name":
    "Role: super-spine, border-leaf, spine, leaf or host, by words in it. Hosts are servers, others switches. A node of kind `linux` without such a word is a host",
  "Link, in the short and the extended form": "Cable between two interfaces",
  "Link between two tiers": "Link of the fabric as well; all kinds of leaves are one tier",
};

/** Tier of a fabric node, by its distance from the hosts. */
type Tier = "leaf" | "spine" | "super-spine";

const ROLE_PATTERNS: readonly (readonly [RegExp, Tier | "border-leaf" | "host"])[] = [
  [/super[-_ ]?spine|\bss\d|sspine|core/i, "super-spine"],
  [/border[-_ ]?leaf|^bl\d/i, "border-leaf"],
  [/spine|^s\d+$|agg(?:regation)?/i, "spine"],
  [/leaf|^l\d+$|\btor\b|access/i, "leaf"],
  [/client|host|server|^srv|^h\d+$|^c\d+$|tester|multitool/i, "host"],
];

/** Returns the role that a node's name, group or label contains; undefined if it contains none. */
function inferRole(word: string): Tier | "border-leaf" | "host" | undefined {
  return ROLE_PATTERNS.find(([pattern]) => pattern.test(word))?.[1];
}

export interface ContainerlabOptions {
  readonly origin: string;
  readonly known: ReadonlyMap<string, string>;
  readonly foreign: { readonly device: ReadonlySet<string> };
}

interface LabNode {
  readonly id: string;
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly role: string;
  readonly isHost: boolean;
}

/** Kinds of nodes that represent the machine that runs the lab, or its networks. */
const OUTSIDE_KINDS = ["bridge", "ovs-bridge", "host", "ext-container"];
const TIER_ROLES = ["leaf", "border-leaf", "tor", "spine", "super-spine"];
/** Link ends that belong to the lab's own machine. */
const HOST_LINK_ENDS = ["host", "mgmt-net", "macvlan"];

/**
 * Maps a containerlab topology: nodes to devices, links to cables, and links between tiers to fabric links. The lab's
 * name becomes the site and the fabric.
 */
export function mapContainerlab(
  document: unknown,
  options: ContainerlabOptions,
): MappedSource | { readonly problem: string } {
  if (!isJsonObject(document) || !isJsonObject(document["topology"])) return { problem: "expected name and topology" };
  const topology = document["topology"];
  if (!isJsonObject(topology["nodes"])) return { problem: "expected topology.nodes with names and kinds" };
  const lab = typeof document["name"] === "string" ? document["name"] : "lab";
  return new LabMapping(lab, topology, options).map();
}

class LabMapping {
  readonly #lab: string;
  readonly #topology: Readonly<Record<string, unknown>>;
  readonly #options: ContainerlabOptions;
  readonly #omissions = new OmissionLog();
  readonly #nodes = new Map<string, LabNode>();
  readonly #ports = new Map<string, Map<string, string>>();
  readonly #portNames = new Map<string, UniquePortNames>();
  readonly #cables: SourceItem[] = [];
  readonly #links: SourceItem[] = [];
  readonly #linkedInterfaces = new Set<string>();
  #codes: ReadonlyMap<string, string> = new Map();

  constructor(lab: string, topology: Readonly<Record<string, unknown>>, options: ContainerlabOptions) {
    this.#lab = lab;
    this.#topology = topology;
    this.#options = options;
  }

  map(): MappedSource {
    for (const [name, fields] of Object.entries(this.#topology["nodes"] as object)) this.#readNode(name, fields);
    const named = [...this.#nodes.values()].map(({ id, name }) => ({ id, name, within: [this.#lab] }));
    this.#codes = assignCodes(named, this.#options.known, this.#options.foreign.device, "node");
    const links = this.#topology["links"];
    if (Array.isArray(links)) for (const [index, link] of links.entries()) this.#mapLink(link, index);
    const devices = [...this.#nodes.values()].map(
      (node): SourceItem => ({ kind: "device", id: node.id, resource: this.#createDevice(node) }),
    );
    return { items: [...devices, ...this.#cables, ...this.#links], omissions: this.#omissions.omissions };
  }

  #readNode(name: string, given: unknown): void {
    const fields = this.#mergeInheritedFields(isJsonObject(given) ? given : {});
    const kind = convertScalarToText(fields["kind"]);
    const id = `node/${name}`;
    if (OUTSIDE_KINDS.includes(kind)) {
      this.#omissions.addObject(`A node of kind ${kind} is the lab's machine or one of its networks`, id, name);
      return;
    }
    const labels = isJsonObject(fields["labels"]) ? fields["labels"] : {};
    const words = [
      convertScalarToText(labels["role"]),
      convertScalarToText(labels["graph-icon"]),
      convertScalarToText(fields["group"]),
      name,
    ];
    const role = words.map(inferRole).find((one) => one !== undefined) ?? (kind === "linux" ? "host" : undefined);
    this.#nodes.set(name, { id, name, fields, role: role ?? "switch", isHost: role === "host" });
    this.#ports.set(name, new Map());
    this.#portNames.set(name, new UniquePortNames());
  }

  /** Merges the fields and labels of defaults, kinds and groups, from the widest to the node itself. */
  #mergeInheritedFields(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const section = (name: string, key: unknown) => {
      const all = this.#topology[name];
      const one = isJsonObject(all) && typeof key === "string" ? all[key] : undefined;
      return isJsonObject(one) ? one : {};
    };
    const defaults = isJsonObject(this.#topology["defaults"]) ? this.#topology["defaults"] : {};
    const kind = fields["kind"] ?? section("groups", fields["group"])["kind"] ?? defaults["kind"];
    const all = [defaults, section("kinds", kind), section("groups", fields["group"]), fields];
    const labels = all.map((one) => one["labels"]).filter((one) => isJsonObject(one));
    return Object.assign({}, ...all, labels.length > 0 && { labels: Object.assign({}, ...labels) });
  }

  #mapLink(link: unknown, index: number): void {
    const id = `link/${index + 1}`;
    const ends = isJsonObject(link) ? parseLinkEnds(link) : undefined;
    if (ends === undefined) {
      this.#omissions.addObject("A link without two ends", id, id, JSON.stringify(link));
      return;
    }
    const name = ends.map(({ node, port }) => `${node}:${port}`).join(" ~ ");
    if (ends.some(({ node }) => HOST_LINK_ENDS.includes(node) || !this.#nodes.has(node))) {
      this.#omissions.addObject("A link to the lab's machine or to a node that is not there", id, name);
      return;
    }
    const keys = ends.map(({ node, port }) => `${node}\n${port}`);
    if (keys[0] === keys[1] || keys.some((key) => this.#linkedInterfaces.has(key))) {
      this.#omissions.addObject("A link to an interface that holds another link", id, name);
      return;
    }
    for (const key of keys) this.#linkedInterfaces.add(key);
    const [one, other] = ends.map((end) => this.#findPort(end));
    if (one === undefined || other === undefined)
      this.#omissions.addObject("A node with too many interfaces", id, name);
    else this.#createCableAndLink(ends, one, other);
  }

  #createCableAndLink(ends: readonly LinkEnd[], one: PortRef, other: PortRef): void {
    // Links are identified by their ends, because their position in the list changes with other links.
    const id = ends
      .map(({ node, port }) => `${node}:${port}`)
      .toSorted()
      .join("~");
    const [a, b] = orderCableEnds(one, other);
    this.#cables.push({
      kind: "cable",
      id: `link/${id}`,
      resource: removeEmptyFields<Cable>({ a, b, ...this.#describeObject(`link/${id}`, id) }),
    });
    const [first, second] = ends.map(({ node }) => this.#nodes.get(node)?.role ?? "");
    const low = TIER_ROLES.indexOf(first ?? "");
    const high = TIER_ROLES.indexOf(second ?? "");
    if (low < 0 || high < 0 || findTierRank(low) === findTierRank(high)) return;
    const [leaf, spine] = low < high ? [one, other] : [other, one];
    const resource = removeEmptyFields<FabricLink>({
      a: leaf,
      b: spine,
      fabricId: convertToCode(this.#lab) || "lab",
      ...this.#describeObject(`fabric/${id}`, id),
    });
    this.#links.push({ kind: "fabric_link", id: `fabric/${id}`, resource });
  }

  #findPort({ node, port }: LinkEnd): PortRef | undefined {
    const ports = this.#ports.get(node);
    const code = this.#codes.get(`node/${node}`);
    if (ports === undefined || code === undefined || ports.size >= LIST_SIZES.Device.ports) return undefined;
    const name = ports.getOrInsertComputed(
      port,
      () => this.#portNames.get(node)?.takeName(port, "interface", port) ?? port,
    );
    return { deviceCode: code, portName: name };
  }

  #createDevice({ id, name, fields, role, isHost }: LabNode): Device {
    const ports = [...(this.#ports.get(name)?.values() ?? [])].map((port): Port => ({ name: port, kind: "NETWORK" }));
    const site = convertToCode(this.#lab) || "lab";
    const kind = isHost ? "SERVER" : "SWITCH";
    return removeEmptyFields<Device>({
      code: this.#codes.get(id) ?? "",
      name: name.slice(0, TEXT_LENGTHS.Device.name),
      kind,
      role: isHost ? undefined : convertToSlug(role),
      model: convertScalarToText(fields["type"]).slice(0, TEXT_LENGTHS.Device.model),
      location: { siteId: site, floorNumber: 0 },
      mount: "UNRACKED",
      ports,
      ...this.#describeObject(id, name, [
        ["containerlab.kind", convertScalarToText(fields["kind"])],
        ["containerlab.image", convertScalarToText(fields["image"])],
        ["containerlab.group", convertScalarToText(fields["group"])],
      ]),
    });
  }

  #describeObject(id: string, name: string, labels: readonly (readonly [string, string])[] = []) {
    const origin = `${this.#options.origin}:${id}`.slice(0, 255);
    return describeResource({ id, name, origin, labels, tags: [], comments: [] }, this.#omissions);
  }
}

/** Returns the rank of a tier. All kinds of leaves are one tier. */
function findTierRank(index: number): number {
  return index <= TIER_ROLES.indexOf("tor") ? 0 : index;
}

interface LinkEnd {
  readonly node: string;
  readonly port: string;
}

/** Parses both forms: `endpoints: ["a:e1", "b:e1"]` and `endpoints: [{node: a, interface: e1}, …]`. */
function parseLinkEnds(link: Readonly<Record<string, unknown>>): readonly [LinkEnd, LinkEnd] | undefined {
  const given = link["endpoints"];
  if (!Array.isArray(given) || given.length !== 2) return undefined;
  const [one, other] = given.map(parseLinkEnd);
  return one === undefined || other === undefined ? undefined : [one, other];
}

function parseLinkEnd(value: unknown): LinkEnd | undefined {
  if (isJsonObject(value)) {
    const node = convertScalarToText(value["node"]);
    const port = convertScalarToText(value["interface"]);
    return node === "" || port === "" ? undefined : { node, port };
  }
  const text = convertScalarToText(value);
  const colon = text.indexOf(":");
  return colon <= 0 || colon === text.length - 1
    ? undefined
    : { node: text.slice(0, colon), port: text.slice(colon + 1) };
}

function convertScalarToText(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}
