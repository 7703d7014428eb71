import { type BlastHit, type BlastRadius, computeBlastInSteps } from "#dc/analysis/power/blast_radius.ts";
import { getOwnDrawW } from "#dc/analysis/power/load_lanes.ts";
import { findActiveInletName, listUndocumentedInlets } from "#dc/analysis/power/power_figures.ts";
import type { LiveSet } from "#dc/analysis/power/power_live.ts";
import type { PowerGraph, PowerNode } from "#dc/analysis/power/power_nodes.ts";
import { computeTenantImpacts, type FailureReach, hasUnknownDraw } from "#dc/analysis/power/unknown_draws.ts";
import type { RackState } from "#dc/analysis/racks/rack_elevation.ts";
import { listLoadTakeovers, listNonworkingNodes, listZoneShortages } from "#dc/analysis/rehearsal/elements.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { DEFAULT_BLAST_ITEMS, MAX_BLAST_ITEMS } from "#dc/limits.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import { codeKey, compareText } from "#dc/model/ref.ts";
import type { DcReader } from "#dc/ports.ts";
import type { PowerFailure } from "#dc/render/power/failure.ts";
import {
  DatacenterService,
  type PowerBlastRadiusRequest,
  type PowerBlastRadiusResponse,
  PowerBlastRadiusResponseSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import type { CooperativeScheduler } from "./answers/cooperative_scheduler.ts";
import {
  listNodeDevices,
  type RequestedRef,
  resolveFailingSources,
  type SourceNodes,
} from "./answers/failing_sources.ts";
import { findNetworkLoss } from "./answers/network_tracer.ts";
import { readCount, readLoadBasis } from "./answers/parameters.ts";
import { replyWithPicture } from "./answers/pictured.ts";
import { convertToMessage, limitListFields } from "./messages/convert.ts";
import { defineRead } from "./rpc.ts";

export const powerBlastRadius = defineRead({
  method: DatacenterService.method.powerBlastRadius,
  effect: "read",
  run: (session, request) =>
    replyWithPicture(session, {
      screen: "POWER",
      requestedOptions: request.render,
      computeReply: async () => answerPowerBlastRadius({ ...session, topology: await session.topology() }, request),
    }),
});

/** Computes the reply of PowerBlastRadius and the input of its picture. @throws Refusal for an unknown source */
export async function answerPowerBlastRadius(
  session: { readonly topology: Topology; readonly reader: DcReader; readonly scheduler: CooperativeScheduler },
  request: PowerBlastRadiusRequest,
): Promise<{ readonly reply: PowerBlastRadiusResponse; readonly picture: () => PowerFailure }> {
  const { topology, scheduler } = session;
  const basis = readLoadBasis(request.loadBasis);
  const limit = readCount("max_items", request.maxItems, { usual: DEFAULT_BLAST_ITEMS, most: MAX_BLAST_ITEMS });
  const sources = await resolveFailingSources(session, listSourceRefs(request));
  const { power, live } = sources.site;
  const { cascade, assumeBattery } = request;
  const failing = { sources: sources.nodes, unlisted: sources.equipment };
  const blast = await scheduler.run(computeBlastInSteps(sources.site, failing, { basis, cascade, assumeBattery }));
  const items = new BlastItemBuilder(topology, power, blast, { basis, baseline: live });
  const off = listNonworkingNodes(sources, blast);
  const network = await findNetworkLoss(session, sources, off);
  const cutOff = listDeviceCodes(power, network.cutOff);
  const isolated = listDeviceCodes(power, network.isolated);
  const taken = listLoadTakeovers(sources.site, blast, basis);
  const isGuarded = (state: string) => state === "DEGRADED" || state === "PROTECTED";
  const affected = items.listItems((state) => !isGuarded(state), limit);
  const guarded = items.listItems((state) => request.includeProtected && isGuarded(state), limit);
  const unknown = request.includeUndocumented ? blast.undocumented : [];
  const undocumented = limitListFields("undocumented", unknown.toSorted(compareText), limit, (code) =>
    items.createUndocumentedItem(code),
  );
  const graph = buildBlastSubgraph({ power, live }, blast, sources, limit);
  const reply = convertToMessage(PowerBlastRadiusResponseSchema, {
    sourceRef: request.sourceRef,
    impact: blast.impact,
    affected: affected.items,
    protected: guarded.items,
    overloads: blast.overloads,
    cascadeSteps: blast.steps,
    cascadeCut: blast.isCascadeCut,
    ...undocumented,
    nodes: graph.nodes,
    edges: graph.edges,
    truncated: affected.omitted + guarded.omitted + graph.omitted + undocumented.omittedUndocumented > 0,
    omittedAffected: affected.omitted,
    omittedProtected: guarded.omitted,
    omittedNodes: graph.omitted,
    tenants: computeTenantImpacts(topology, groupReachByState(blast), basis),
    ...limitListFields("takeovers", taken, limit),
    zones: listZoneShortages(topology, off, basis),
    ...limitListFields("fabricLinksDown", network.linksDown, limit),
    fabricLostMbps: network.lostMbps,
    ...limitListFields("switchesCutOff", cutOff, limit),
    ...limitListFields("devicesWithoutDataPath", isolated, limit),
  });
  const rack = (code: string) => topology.rack(code);
  return {
    reply,
    picture: () => ({
      graph: power,
      before: live,
      blast,
      basis,
      sources: sources.requestedRefs,
      network: { ...network, cutOff, isolated },
      rack,
    }),
  };
}

function listSourceRefs({ sourceRef, additionalSourceRefs }: PowerBlastRadiusRequest): readonly RequestedRef[] {
  const others = additionalSourceRefs.map((text, at) => ({ field: `additional_source_refs[${at}]`, text }));
  return [{ field: "source_ref", text: sourceRef }, ...others];
}

function groupReachByState({ hits, racks }: BlastRadius): FailureReach {
  const listNodes = (wanted: BlastHit["state"]) =>
    hits.filter(({ state }) => state === wanted).map(({ index }) => index);
  const listKeys = (wanted: RackState) => [...racks].filter(([, state]) => state === wanted).map(([key]) => key);
  return {
    offline: listNodes("OFFLINE"),
    degraded: listNodes("DEGRADED"),
    racksDark: listKeys("DARK"),
    racksPartial: listKeys("PARTIAL"),
    racksProtected: listKeys("PROTECTED"),
  };
}

function listDeviceCodes(power: PowerGraph, indexes: readonly number[]): readonly string[] {
  return listNodeDevices(power, indexes)
    .map(({ code }) => code)
    .sort(compareText);
}

interface BlastItemOptions {
  readonly basis: LoadBasis;
  readonly baseline: LiveSet;
}

/** Converts the hits of a blast radius to items of the reply. */
class BlastItemBuilder {
  readonly #topology: Topology;
  readonly #power: PowerGraph;
  readonly #blast: BlastRadius;
  readonly #figures: BlastItemOptions;

  constructor(topology: Topology, power: PowerGraph, blast: BlastRadius, figures: BlastItemOptions) {
    this.#topology = topology;
    this.#power = power;
    this.#blast = blast;
    this.#figures = figures;
  }

  /**
   * Lists the items with a requested state: racks first, then their devices rack by rack, then cooling units, and last
   * the distribution equipment between sources and racks.
   */
  listItems(isWanted: (state: string) => boolean, limit: number) {
    const racks = [...this.#blast.racks]
      .filter(([, state]) => isWanted(state))
      .toSorted(
        ([a, was], [b, is]) => STATES_BY_SEVERITY.indexOf(was) - STATES_BY_SEVERITY.indexOf(is) || compareText(a, b),
      );
    const hits = this.#blast.hits.filter(({ state }) => isWanted(state));
    const shown = racks.slice(0, limit);
    const room = limit - shown.length;
    return {
      items: [
        ...shown.map(([key, state]) => this.#createRackItem(key, state)),
        ...(room > 0 ? this.#sortHits(hits).slice(0, room) : []).map((hit) => this.#createHitItem(hit)),
      ],
      omitted: Math.max(0, hits.length + racks.length - limit),
    };
  }

  #sortHits(hits: readonly BlastHit[]): readonly BlastHit[] {
    const byRack = new Map<string, BlastHit[]>();
    const cooling: BlastHit[] = [];
    const distribution: BlastHit[] = [];
    for (const hit of hits) {
      const node = this.#power.nodes[hit.index];
      if (node?.kind !== "DEVICE") cooling.push(hit);
      else if (isPowerKind(node.device.kind)) distribution.push(hit);
      else byRack.getOrInsertComputed(node.device.rackCode ?? AFTER_RACKS_KEY, () => []).push(hit);
    }
    const racks = [...byRack].toSorted(([a], [b]) => compareText(codeKey(a), codeKey(b)));
    return [...racks.flatMap(([, list]) => list), ...cooling, ...distribution];
  }

  /** Builds the item of a device in an affected rack that has no recorded supplies. */
  createUndocumentedItem(code: string) {
    const index = this.#power.indexOf.get(`device:${codeKey(code)}`) ?? -1;
    return {
      ...selectIdentityFields(this.#power.nodes[index]),
      state: "UNDOCUMENTED",
      ...this.#createDrawFields(index),
      undocumentedInlets: listUndocumentedInlets(this.#power, index),
    };
  }

  #createDrawFields(index: number) {
    return {
      drawW: getOwnDrawW(this.#power, index, this.#figures.basis),
      drawNotRecorded: hasUnknownDraw(this.#power.nodes[index]),
    };
  }

  #createRackItem(key: string, state: RackState) {
    const { code = key, name, role } = this.#topology.rack(key) ?? {};
    return { kind: "RACK", code, name, role, state: ITEM_STATE_BY_RACK_STATE[state] };
  }

  #createHitItem({ index, state, depth, via }: BlastHit) {
    const inlets = this.#power.inlets.listEdges(index).filter(({ from }) => this.#figures.baseline[from] === 1);
    const alive = (from: number) => this.#blast.live[from] === 1;
    return {
      ...selectIdentityFields(this.#power.nodes[index]),
      state,
      ...this.#createDrawFields(index),
      lostInlets: inlets.filter(({ from }) => !alive(from)).map(({ inlet }) => inlet),
      remainingInlets: inlets.filter(({ from }) => alive(from)).map(({ inlet }) => inlet),
      via,
      depth,
      undocumentedInlets: listUndocumentedInlets(this.#power, index),
      ...findActiveInlets(this.#power, index, { before: this.#figures.baseline, after: this.#blast.live }),
    };
  }
}

/** Sort key of items outside of racks: greater than every rack code. */
const AFTER_RACKS_KEY = "~";
/** States of racks, the worst first. */
const STATES_BY_SEVERITY: readonly RackState[] = ["DARK", "PARTIAL", "PROTECTED"];

const ITEM_STATE_BY_RACK_STATE = {
  DARK: "DARK",
  PARTIAL: "PARTIAL",
  PROTECTED: "DEGRADED",
} as const;

function selectIdentityFields(node: PowerNode | undefined) {
  if (node?.kind === "DEVICE") {
    const { code, name, rackCode, role } = node.device;
    return { kind: "DEVICE", code, name, rackCode, role };
  }
  if (node?.kind !== "CRAC") return {};
  const { code, name, rackCode } = node.crac;
  return { kind: "CRAC", code, name, rackCode };
}

/** Returns the inlet from which a transfer switch or UPS draws before and after a failure. */
function findActiveInlets(
  power: PowerGraph,
  index: number,
  { before, after }: { readonly before: LiveSet; readonly after: LiveSet },
) {
  return {
    inletBefore: findActiveInletName(power, before, index),
    inletAfter: findActiveInletName(power, after, index),
  };
}

/** Builds the graph of sources, affected elements and the connections between them. Omits elements beyond the limit. */
function buildBlastSubgraph(
  { power, live }: { readonly power: PowerGraph; readonly live: LiveSet },
  blast: BlastRadius,
  { nodes }: SourceNodes,
  limit: number,
) {
  const shown = new Set<number>();
  const left = new Set<number>();
  for (const indexes of [nodes, blast.dark, blast.hits.map(({ index }) => index)]) {
    for (const index of indexes) {
      if (shown.size < limit) shown.add(index);
      else if (!shown.has(index)) left.add(index);
    }
  }
  const states = new Map<number, BlastHit["state"]>();
  for (const { index, state } of blast.hits) if (shown.has(index)) states.set(index, state);
  return {
    omitted: left.size,
    nodes: [...shown].map((index) => ({
      ...createBlastNode(power, blast, index, states.get(index)),
      ...findActiveInlets(power, index, { before: live, after: blast.live }),
    })),
    edges: [...shown].flatMap((index) =>
      power.supplies
        .listEdges(index)
        .filter(({ to }) => shown.has(to))
        .map(({ from, to, inlet }) => ({
          fromRef: power.nodes[from]?.ref,
          toRef: power.nodes[to]?.ref,
          inlet,
          live: blast.live[from] === 1,
        })),
    ),
  };
}

function createBlastNode(power: PowerGraph, blast: BlastRadius, index: number, state: BlastHit["state"] | undefined) {
  const node = power.nodes[index];
  const name = node?.kind === "DEVICE" ? node.device.name : node?.kind === "CRAC" ? node.crac.name : undefined;
  return {
    ref: node?.ref,
    kind: node?.kind,
    name,
    state,
    loadW: blast.loadsAfter[index] ?? 0,
    capacityW: node?.capacityW,
  };
}
