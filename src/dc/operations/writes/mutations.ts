import { create, type DescMessage, type DescMethodUnary, type Message, type MessageShape } from "@bufbuild/protobuf";
import { type BulkReply, FindingSchema, Outcome } from "#gen/datacenter/v1/datacenter_pb.ts";
import { describeFailoverOverload, describeNearLimit, describePhaseImbalance } from "#words/names.ts";
import { getOwnDrawW } from "../../analysis/power/load_lanes.ts";
import { type CarriedLoads, computeFailover, listNodeLoadReasons } from "../../analysis/power/power_failover.ts";
import {
  areLegLoadsUneven,
  listDeviceNodes as elementsOfDevice,
  isRedundancyUnmet,
  PHASE_IMBALANCE_PCT,
  PowerFigures,
  sumLegLoads,
} from "../../analysis/power/power_figures.ts";
import { buildPowerGraph } from "../../analysis/power/power_graph_editor.ts";
import { collectDownstream, type PowerGraph } from "../../analysis/power/power_nodes.ts";
import { MAX_LOAD_WALK_DEVICES, MAX_LOAD_WALK_PER_ITEM } from "../../limits.ts";
import { roundFigure } from "../../model/figure.ts";
import { createWarning, type WarningFinding } from "../../model/finding.ts";
import type { SiteReader } from "../../model/inventory.ts";
import {
  codeKey,
  formatCableRef,
  formatEdgeKey,
  formatPortReference,
  getResourceRef,
  parseCode,
  parseRef,
} from "../../model/ref.ts";
import { Refusal, refuse } from "../../model/refusal.ts";
import type { Cable, Crac, Device, FabricLink, Rack, ResourceByKind, ResourceKind } from "../../model/resources.ts";
import type { StoredVersion } from "../../ports.ts";
import { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import { readCode } from "../answers/parameters.ts";
import {
  convertFromMessage,
  convertToMessage,
  createDeviceMessage,
  createFabricLinkMessage,
  createStoredMessage,
} from "../messages/convert.ts";
import type { WriteSession } from "../rpc.ts";
import { applyBulkItems, type BulkItem, createDependencyFinder, requireBatchSize } from "./bulk.ts";
import { RESOURCE_SCHEMAS } from "./changes.ts";
import { PowerSurroundings } from "./power_surroundings.ts";
import { type RemovedResource, type RemoveOptions, removeResource } from "./remove.ts";
import { requireValidMask, type UpsertInput, upsertResource } from "./upsert.ts";

// Single and bulk calls of every kind use these functions, so that they cannot differ.

/** Converts a stored resource to its message, with its version. */
export function convertStoredResource(
  kind: ResourceKind,
  stored: StoredVersion<ResourceByKind[ResourceKind]>,
): Message {
  // `kind` and `stored` agree, which the compiler cannot infer.
  if (kind === "device") return createDeviceMessage(stored as StoredVersion<Device>);
  if (kind === "fabric_link") return createFabricLinkMessage(stored as StoredVersion<FabricLink>);
  return createStoredMessage(RESOURCE_SCHEMAS[kind], stored);
}

interface UpsertRequest {
  readonly etag: string;
  readonly updateMask?: { readonly paths: readonly string[] } | undefined;
}

/** Runs a single upsert. Request and reply contain the resource under the name of its kind. */
export async function upsertSingleResource<Method extends DescMethodUnary, Kind extends ResourceKind>(
  session: WriteSession,
  method: Method,
  kind: Kind,
  request: UpsertRequest,
): Promise<MessageShape<Method["output"]>> {
  const field = kind === "fabric_link" ? "fabricLink" : kind;
  const given = (request as unknown as Record<string, object | undefined>)[field];
  if (given === undefined) throw refuse("REQUIRED_FIELD", `Field "${kind}" is required`, { field: kind });
  const { stored, outcome, warnings } = await upsertResource(session, kind, {
    resource: convertFromMessage<ResourceByKind[Kind]>(RESOURCE_SCHEMAS[kind], given, kind),
    at: kind,
    maskPaths: request.updateMask?.paths ?? [],
    etag: request.etag,
  });
  const ref = getResourceRef(kind, stored.resource);
  const loads = outcome === "UNCHANGED" ? [] : (await reviewLoadsOfRefs(session, [ref]))(ref);
  return create(
    method.output as DescMessage,
    {
      [field]: convertStoredResource(kind, stored),
      outcome: Outcome[outcome],
      warnings: [...warnings, ...loads].map((warning) => convertToMessage(FindingSchema, warning)),
    } as never,
  ) as MessageShape<Method["output"]>;
}

interface DeleteRequest extends Omit<RemoveOptions, "cascade"> {
  readonly code: string;
  readonly cascade: boolean;
}

export type CodedKind = "device" | "rack" | "crac";

/** Returns a resource with its code and placeholders of other required fields. A deletion uses only the code. */
export function createResourceWithCode(kind: CodedKind, code: string): ResourceByKind[CodedKind] {
  const blank: { readonly [Kind in CodedKind]: ResourceByKind[Kind] } = {
    device: { code, kind: "OTHER" } satisfies Device,
    rack: { code } satisfies Rack,
    crac: { code, kind: "CRAC", sensibleCapacityKw: 0 } satisfies Crac,
  };
  return blank[kind];
}

export async function deleteSingleResource(
  session: WriteSession,
  kind: CodedKind,
  request: DeleteRequest,
): Promise<RemovedResource> {
  return removeResource(session, kind, createResourceWithCode(kind, readCode(request.field, request.code)), request);
}

/** Kinds of resources that bulk calls accept. */
export type BulkKind = CodedKind | "cable";

interface BulkUpsertRequest {
  readonly items: readonly object[];
  readonly atomic: boolean;
  readonly updateMask?: { readonly paths: readonly string[] } | undefined;
}

export async function upsertInBulk(
  session: WriteSession,
  kind: BulkKind,
  request: BulkUpsertRequest,
): Promise<BulkReply> {
  requireBatchSize("items", request.items.length);
  const maskPaths = request.updateMask?.paths ?? [];
  requireValidMask(RESOURCE_SCHEMAS[kind], maskPaths, "update_mask");
  const models = request.items.map((item, index) => parseBulkItem(kind, item, `items[${index}]`));
  const readable = models.filter((model): model is ResourceByKind[BulkKind] => !(model instanceof Refusal));
  const needs = createDependencyFinder(kind, readable);
  const items = models.map((model, index): BulkItem => {
    const at = `items[${index}]`;
    return {
      ...createItemIdentity(model, { at, given: request.items[index] ?? {} }),
      needs: model instanceof Refusal ? [] : needs(model),
      apply: () => upsertBulkItem(session, kind, { resource: model, at, maskPaths, etag: "" }),
    };
  });
  const { atomic } = request;
  if (kind === "device")
    return applyBulkItems(session, items, { atomic, review: (codes) => reviewPowerLoads(session, codes) });
  if (kind !== "cable") return applyBulkItems(session, items, { atomic });
  return applyBulkItems(session, items, { atomic, review: (refs) => reviewLoadsOfRefs(session, refs) });
}

/** Checks loads after all items of a call are written, since each item changes them. */
function reviewPowerLoads({ writer }: WriteSession, codes: readonly string[]): Promise<FindWarnings> {
  return findPowerWarnings(writer, codes, MAX_LOAD_WALK_DEVICES + codes.length * MAX_LOAD_WALK_PER_ITEM);
}

/** Checks loads upstream of devices and of power cables' inlets, by the references of the changed resources. */
export async function reviewLoadsOfRefs(session: WriteSession, refs: readonly string[]): Promise<FindWarnings> {
  const supplied = new Map<string, string>();
  for (const text of refs) {
    const ref = parseRef(text);
    const code =
      ref?.kind === "cable" ? await findInletDevice(session, ref) : ref?.kind === "device" ? ref.code : undefined;
    if (code !== undefined) supplied.set(text, code);
  }
  if (supplied.size === 0) return () => [];
  const warningsOf = await reviewPowerLoads(session, [...new Set(supplied.values())]);
  return (text) => {
    const code = supplied.get(text);
    return code === undefined ? [] : warningsOf(code);
  };
}

/** Returns the code of the device whose inlet is at an end of a cable. */
async function findInletDevice(
  { writer }: WriteSession,
  { a, b }: Pick<Cable, "a" | "b">,
): Promise<string | undefined> {
  for (const { deviceCode, portName } of [a, b]) {
    const device = await writer.device(deviceCode);
    if (device?.ports?.some(({ name, kind: use }) => name === portName && use === "POWER_IN") === true)
      return device.code;
  }
  return undefined;
}

/** Converts one item, or returns its refusal, so that other items are still applied. */
export function parseBulkItem<Kind extends ResourceKind>(
  kind: Kind,
  item: object,
  at: string,
): ResourceByKind[Kind] | Refusal {
  try {
    return convertFromMessage<ResourceByKind[Kind]>(RESOURCE_SCHEMAS[kind], item, at);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** Returns the name of a bulk call's item, and the key by which two items are the same. */
function createItemIdentity(
  model: ResourceByKind[BulkKind] | Refusal,
  { at, given }: { readonly at: string; readonly given: { readonly code?: string } },
): Pick<BulkItem, "field" | "code" | "name" | "key"> {
  const { code } = given;
  if (code !== undefined) return { field: `${at}.code`, code, name: "Code", key: codeKey(code) };
  // An edge without an end can be parsed. The upsert rejects it later.
  const ends: Partial<Cable> = model instanceof Refusal || "code" in model ? {} : model;
  if (ends.a === undefined || ends.b === undefined) return { field: at, code: "", name: "Cable", key: at };
  return { field: at, code: formatCableRef(ends.a, ends.b), name: "Cable", key: formatEdgeKey(ends.a, ends.b) };
}

/** Writes one resource of a call that names several. */
export async function upsertBulkItem<Kind extends ResourceKind>(
  session: WriteSession,
  kind: Kind,
  { resource, ...input }: Omit<UpsertInput<Kind>, "resource"> & { resource: ResourceByKind[Kind] | Refusal },
) {
  if (resource instanceof Refusal) throw resource;
  const { stored, outcome, warnings } = await upsertResource(session, kind, { resource, ...input });
  return { outcome: Outcome[outcome], etag: stored.etag, warnings };
}

interface BulkDeleteRequest {
  readonly codes: readonly string[];
  readonly cascade: boolean;
  readonly atomic: boolean;
  readonly allowMissing: boolean;
}

/** Deletes consumers and children before the resources that they depend on, so that a batch may contain both. */
export async function deleteInBulk(
  session: WriteSession,
  kind: CodedKind,
  request: BulkDeleteRequest,
): Promise<BulkReply> {
  requireBatchSize("codes", request.codes.length);
  const { cascade, allowMissing } = request;
  const dependants = await groupDependants(session, kind, request.codes);
  const items = request.codes.map((code, index): BulkItem => {
    const field = `codes[${index}]`;
    return {
      field,
      code,
      name: "Code",
      key: codeKey(code),
      needs: dependants.get(codeKey(code)) ?? [],
      apply: async () => {
        const removed = await deleteSingleResource(session, kind, { field, code, etag: "", cascade, allowMissing });
        const { deleted, cascadedRefs } = removed;
        return { outcome: deleted ? Outcome.DELETED : Outcome.NOT_FOUND, etag: "", warnings: [], cascadedRefs };
      },
    };
  });
  return applyBulkItems(session, items, { atomic: request.atomic });
}

/** Maps the key of each given code to the given codes that depend on it and are removed before it. */
export async function groupDependants(
  { writer }: WriteSession,
  kind: CodedKind,
  codes: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const readable = codes.filter((code) => parseCode(code) !== undefined);
  const stored = await Promise.all(readable.map((code) => writer.stored(kind, codeKey(code))));
  const found = stored.flatMap((one) => (one === undefined ? [] : [one.resource]));
  const needs = createDependencyFinder(kind, found);
  const dependants = new Map<string, string[]>();
  for (const resource of found) {
    for (const code of needs(resource)) dependants.getOrInsertComputed(codeKey(code), () => []).push(resource.code);
  }
  return dependants;
}

/** Load basis of warnings: writes are planned with allocated draws. */
const WARNING_LOAD_BASIS = "ALLOCATED";

/** Returns the warnings about a device, after everything of a call is written. */
type FindWarnings = (code: string) => readonly WarningFinding[];

/**
 * Checks the supply of written devices and the loads of everything upstream, with the same functions as the analyses.
 * The warnings of a device are sorted by distance of the supply.
 * @param budget number of devices that may be read downstream; a supply with more gets no warnings
 */
export async function findPowerWarnings(
  site: SiteReader,
  codes: readonly string[],
  budget: number,
): Promise<FindWarnings> {
  const around = new PowerSurroundings(site, budget);
  const keys = codes.map(codeKey);
  const concerned = await around.readUpstream(keys);
  const suppliesOf = new Map<string, readonly string[]>();
  const scheduler = CooperativeScheduler.createForWrite();
  for (const key of keys) {
    await scheduler.yieldIfDue();
    suppliesOf.set(key, keys.length === 1 ? concerned : await around.readUpstream([key]));
  }
  const loads = await checkDownstreamLoads(around, new Set([...suppliesOf.values()].flat()));
  return (code) => {
    const key = codeKey(code);
    const supplies = suppliesOf.get(key) ?? [];
    return [
      ...listRedundancyWarnings(around.findDevice(key), loads.figures),
      ...supplies.flatMap((supply) => loads.findWarnings(supply)),
    ];
  };
}

interface LoadWarnings {
  readonly figures: PowerFigures;
  readonly findWarnings: FindWarnings;
}

/** Checks everything downstream of each supply. A supply with too many devices downstream gets no warnings. */
async function checkDownstreamLoads(around: PowerSurroundings, supplies: ReadonlySet<string>): Promise<LoadWarnings> {
  const judged: string[] = [];
  const below = new Set(supplies);
  const scheduler = CooperativeScheduler.createForWrite();
  for (const key of supplies) {
    await scheduler.yieldIfDue();
    if (!hasRating(around.findDevice(key))) continue;
    const found = await around.readDownstream(key);
    if (found === undefined) continue;
    judged.push(key);
    for (const one of found) below.add(one);
  }
  // Includes the consumers' other supplies, because their loss shifts load to the checked supplies.
  const graph = buildPowerGraph(around.buildInventory(await around.readUpstream(below)));
  const figures = new PowerFigures(graph);
  const elements = new Map(judged.map((key) => [key, listElementsOfDevice(graph, key)]));
  const wanted: number[] = [];
  for (const index of [...elements.values()].flat()) {
    await scheduler.yieldIfDue();
    if (canOverloadSupply(graph, index)) wanted.push(index);
  }
  const loads = figures.getLoads(WARNING_LOAD_BASIS);
  const losses = computeFailover({ graph, live: figures.live, loads, basis: WARNING_LOAD_BASIS, wanted });
  const carried = { graph, loads, failover: await scheduler.run(losses) };
  const found = new Map(
    judged.map((key) => {
      const own = elements.get(key) ?? [];
      return [
        key,
        [...own.flatMap((index) => listOverloadWarnings(carried, index)), ...listPhaseWarnings(carried, own)],
      ];
    }),
  );
  return { figures, findWarnings: (key) => found.get(key) ?? [] };
}

function hasRating(device: Device | undefined): boolean {
  return device?.power?.capacityW !== undefined || (device?.ports ?? []).some(({ powerOut }) => powerOut !== undefined);
}

function listElementsOfDevice(graph: PowerGraph, key: string): readonly number[] {
  const node = graph.nodes[graph.indexOf.get(`device:${key}`) ?? -1];
  return node?.kind === "DEVICE" ? elementsOfDevice(graph, node.device) : [];
}

/**
 * Whether everything downstream of an element exceeds its capacity. A failure cannot shift more load to it. If outlets
 * record their phases, all load may be on one phase.
 */
function canOverloadSupply(graph: PowerGraph, start: number): boolean {
  const node = graph.nodes[start];
  if (node?.capacityW === undefined) return false;
  let sum = 0;
  let phases = 1;
  for (const index of collectDownstream(graph, [start])) {
    const consumer = graph.nodes[index];
    const factor = (consumer?.kind === "DEVICE" ? consumer.device.powerFactor : undefined) ?? 1;
    sum += getOwnDrawW(graph, index, WARNING_LOAD_BASIS) / factor;
    if (consumer?.kind === "OUTLET" && consumer.leg !== undefined) phases = 3;
  }
  return roundFigure(node.kind === "OUTLET" && node.isThreePhase ? phases * sum : sum) > node.capacityW;
}

function listRedundancyWarnings(device: Device | undefined, figures: PowerFigures): readonly WarningFinding[] {
  const required = device?.power?.requiredRedundancy;
  if (device === undefined || required === undefined) return [];
  if (!figures.redundancy.listVerdicts(undefined, [device]).some(isRedundancyUnmet)) return [];
  return [
    createWarning("REDUNDANCY_UNMET", "power.required_redundancy", `The supply does not give redundancy ${required}`, {
      value: `${(device.ports ?? []).filter(({ kind }) => kind === "POWER_IN").length} inlets`,
      expected: required,
      ref: `device:${device.code}`,
    }),
  ];
}

function listOverloadWarnings(carried: CarriedLoads, index: number): readonly WarningFinding[] {
  const { graph } = carried;
  const node = graph.nodes[index];
  const { capacityW = 0, maxUtilizationPct = 0 } = node ?? {};
  // Names an outlet by its port, even if the node has the reference of the feed that the outlet declares.
  const ref = node?.kind === "OUTLET" ? formatPortReference(node.end) : (node?.ref ?? "");
  const unit = node?.kind === "OUTLET" && graph.isApparent ? "VA" : "W";
  const figure = (pct: number) => `${Math.round((pct * capacityW) / 100)} ${unit}`;
  return listNodeLoadReasons(carried, index).flatMap(({ code, value = 0, limit = 0 }) => {
    if (code === "POWER_NORMAL") {
      return [
        createWarning("SOURCE_NEAR_LIMIT", "ports", describeNearLimit(ref, maxUtilizationPct), {
          value: figure(value),
          expected: `at most ${figure(maxUtilizationPct)}`,
          ref,
        }),
      ];
    }
    if (limit < 100) return [];
    return [
      createWarning("FAILOVER_OVERLOAD", "ports", describeFailoverOverload(ref), {
        value: figure(value),
        expected: `at most ${figure(100)}`,
        ref,
      }),
    ];
  });
}

/** Warns if the three phases of equipment differ too much. Only outlets that record their legs count. */
function listPhaseWarnings(
  { graph, loads: { watts } }: CarriedLoads,
  elements: readonly number[],
): readonly WarningFinding[] {
  const legs = sumLegLoads(
    graph,
    elements,
    elements.map((index) => watts[index] ?? 0),
  );
  if (!areLegLoadsUneven(legs)) return [];
  const ref = graph.nodes[elements[0] ?? -1]?.ref ?? "";
  return [
    createWarning("PHASE_IMBALANCE", "ports", describePhaseImbalance(ref), {
      value: `${Math.round(legs.A)}, ${Math.round(legs.B)} and ${Math.round(legs.C)} W`,
      expected: `a spread of at most ${PHASE_IMBALANCE_PCT} % of the mean`,
      ref,
    }),
  ];
}
