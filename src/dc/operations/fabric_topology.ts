import { traceCable } from "#dc/analysis/cabling/cable_trace.ts";
import {
  type FabricLinks,
  type FabricOptions,
  analyseFabric as judgeFabric,
  matchCablePath,
} from "#dc/analysis/fabric/fabric.ts";
import { isLocatedIn } from "#dc/analysis/places.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { MAX_HOPS } from "#dc/limits.ts";
import type { PhysicalMatch } from "#dc/model/enum_values.ts";
import { codeKey, formatFabricLinkRef, getFabricKey } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { FabricLink } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import type { FabricPicture } from "#dc/render/fabric/bundles.ts";
import {
  DatacenterService,
  type FabricTopologyRequest,
  type FabricTopologyResponse,
  FabricTopologyResponseSchema,
  Severity,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { BatchedSite, type NetworkSession } from "./answers/data_paths.ts";
import { readBlockedLinks } from "./answers/network_tracer.ts";
import { readCode, readPercent, readScope, requireKnownCodes } from "./answers/parameters.ts";
import { replyWithPicture } from "./answers/pictured.ts";
import { readLinkEndDevices } from "./answers/switch_devices.ts";
import { CONGESTED_PCT, convertToMessage, WATCHED_PCT } from "./messages/convert.ts";
import { defineRead } from "./rpc.ts";

export const fabricTopology = defineRead({
  method: DatacenterService.method.fabricTopology,
  effect: "read",
  run: (session, request) =>
    replyWithPicture(session, {
      screen: "FABRIC",
      requestedOptions: request.render,
      computeReply: async () => answerFabricTopology({ ...session, topology: await session.topology() }, request),
    }),
});

/** Computes the reply of FabricTopology and the input of its picture. @throws Refusal for invalid parameters */
export async function answerFabricTopology(
  session: NetworkSession,
  request: FabricTopologyRequest,
): Promise<{ readonly reply: FabricTopologyResponse; readonly picture: () => FabricPicture }> {
  const { reader, topology } = session;
  const { inventory } = topology;
  const named = { field: "failed_device_codes", kind: "device", noun: "device" } as const;
  requireKnownCodes(request.failedDeviceCodes, named, (code) => topology.device(code) !== undefined);
  const congestionPct = readPercent("congestion_pct", request.congestionPct, CONGESTED_PCT);
  const watchPct = readPercent("watch_pct", request.watchPct, WATCHED_PCT);
  const { inScope, ...links } = selectLinks(inventory.fabricLinks, topology, request);
  const devices = await readLinkEndDevices(reader, links.own);
  const deviceOf = (key: string) => devices.get(key) ?? topology.device(key);
  const answer = judgeFabric(links, deviceOf, {
    blocked: await readBlockedLinks(session, deviceOf),
    congestionPct,
    watchPct,
    failedDeviceCodes: request.failedDeviceCodes,
    ...(inScope !== undefined && { inScope }),
  });
  const physical = request.checkPhysical
    ? await matchPhysicalCables(reader, links.listed)
    : new Map<FabricLink, PhysicalMatch>();
  const reply = convertToMessage(FabricTopologyResponseSchema, {
    ...answer,
    nodes: answer.nodes.map(({ device: { code, role, rackCode }, ...node }) => ({ ...node, code, role, rackCode })),
    links: answer.links.map(({ link, utilizationPct, ...view }) => ({
      ...view,
      link: { ...link, utilizationPct, congested: utilizationPct >= congestionPct, physical: physical.get(link) },
    })),
    findings: [...answer.findings, ...createMismatchFindings(physical)],
  });
  const mapMatches = () => new Map([...physical].map(([link, match]) => [formatFabricLinkRef(link.a, link.b), match]));
  const name = [request.fabricId, request.scopeRef].filter((part) => part !== "").join(" in ");
  return { reply, picture: () => ({ name, answer, congestionPct, watchPct, cableMatches: mapMatches() }) };
}

/**
 * Selects the links of the requested fabric and scope, the whole fabrics around them, and all links of their switches.
 */
function selectLinks(
  links: readonly FabricLink[],
  topology: Topology,
  { fabricId, scopeRef }: FabricTopologyRequest,
): FabricLinks & Pick<FabricOptions, "inScope"> {
  const fabric = fabricId === "" ? undefined : codeKey(readCode("fabric_id", fabricId));
  const ofFabric = fabric === undefined ? links : links.filter((link) => getFabricKey(link) === fabric);
  if (fabricId !== "" && ofFabric.length === 0) {
    throw refuse("NOT_FOUND", `Cannot find fabric "${fabricId}"`, { field: "fabric_id", ref: `fabric:${fabricId}` });
  }
  const scope = readScope(topology, scopeRef);
  if (scope === undefined) return { listed: ofFabric, mesh: ofFabric, own: listLinksOfSwitches(links, ofFabric) };
  const inScope = (deviceCode: string) => {
    const device = topology.device(deviceCode);
    return device !== undefined && isLocatedIn(device, scope);
  };
  const listed = ofFabric.filter(({ a, b }) => inScope(a.deviceCode) || inScope(b.deviceCode));
  const fabrics = new Set(listed.map(getFabricKey));
  const mesh = ofFabric.filter((link) => fabrics.has(getFabricKey(link)));
  return { listed, mesh, own: listLinksOfSwitches(links, listed), inScope };
}

/** Returns all links of every switch that one of the given links connects. */
function listLinksOfSwitches(links: readonly FabricLink[], some: readonly FabricLink[]): readonly FabricLink[] {
  if (some.length === links.length) return links;
  const keys = new Set(some.flatMap(({ a, b }) => [codeKey(a.deviceCode), codeKey(b.deviceCode)]));
  return links.filter(({ a, b }) => keys.has(codeKey(a.deviceCode)) || keys.has(codeKey(b.deviceCode)));
}

async function matchPhysicalCables(
  reader: DcReader,
  links: readonly FabricLink[],
): Promise<Map<FabricLink, PhysicalMatch>> {
  const site = new BatchedSite(reader);
  const options = { stopAtPower: true, followSplits: false, maxHops: MAX_HOPS };
  // Waits for all traces, so that none reads from the closed snapshot after another one failed.
  const traced = await Promise.allSettled(
    links.map(async (link) => {
      const [path] = link.a.portName === "" ? [] : await traceCable(link.a, site, options);
      return [link, matchCablePath(link, path)] as const;
    }),
  );
  return new Map(
    traced.map((one) => {
      if (one.status === "rejected") throw one.reason;
      return one.value;
    }),
  );
}

function createMismatchFindings(physical: ReadonlyMap<FabricLink, PhysicalMatch>) {
  return [...physical]
    .filter(([, match]) => match === "MISSING" || match === "MISMATCH")
    .map(([{ a, b }, match]) => ({
      severity: Severity.WARNING,
      code: `PHYSICAL_${match}`,
      message: "The cables do not join the two ends of the link",
      ref: formatFabricLinkRef(a, b),
    }));
}
