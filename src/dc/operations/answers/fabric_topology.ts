import { traceCable } from "#dc/analysis/cable_trace.ts";
import { fabricTopology, physicalMatch } from "#dc/analysis/fabric.ts";
import { standsIn } from "#dc/analysis/location_scope.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { MAX_HOPS } from "#dc/limits.ts";
import { codeKey } from "#dc/model/code.ts";
import type { PhysicalMatch } from "#dc/model/enum_values.ts";
import { fabricLinkRef } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { Device, FabricLink } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import type { FabricPicture } from "#dc/render/fabric/picture.ts";
import {
  type FabricTopologyRequest,
  type FabricTopologyResponse,
  FabricTopologyResponseSchema,
  Severity,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { toMessage } from "../messages/convert.ts";
import { CONGESTED_PCT } from "../messages/messages.ts";
import { BatchedSite } from "./batched_site.ts";
import { demandPlace, readCode, readPercent, readRef } from "./parameters.ts";

/** Utilisation from which a link is watched. Source: docs/contract/datacenter-messages.md#fabrictopology. */
const WATCH_PCT = 60;

/** The structured answer of FabricTopology and what its picture is drawn from. @throws Refusal for parameters that are none */
export async function fabricTopologyAnswer(
  { reader, topology }: { readonly reader: DcReader; readonly topology: Topology },
  request: FabricTopologyRequest,
): Promise<{ readonly reply: FabricTopologyResponse; readonly picture: () => FabricPicture }> {
  const { estate } = topology;
  demandDevices(topology, request.failedDeviceCodes);
  const congestionPct = readPercent("congestion_pct", request.congestionPct, CONGESTED_PCT);
  const links = chosen(estate.fabricLinks, topology, request);
  const devices = await withNetworkPorts(reader, links);
  const watchPct = readPercent("watch_pct", request.watchPct, WATCH_PCT);
  const answer = fabricTopology(links, devices, {
    congestionPct,
    watchPct,
    failedDeviceCodes: request.failedDeviceCodes,
  });
  const physical = request.checkPhysical ? await physicalMatches(reader, links) : new Map<FabricLink, PhysicalMatch>();
  const reply = toMessage(FabricTopologyResponseSchema, {
    ...answer,
    nodes: answer.nodes.map(({ device: { code, role, rackCode }, ...node }) => ({ ...node, code, role, rackCode })),
    links: answer.links.map(({ link, utilizationPct, ...view }) => ({
      ...view,
      link: { ...link, utilizationPct, congested: utilizationPct >= congestionPct, physical: physical.get(link) },
    })),
    findings: [...answer.findings.map((found) => ({ ...found, severity: Severity.WARNING })), ...mismatches(physical)],
  });
  const seen = () => new Map([...physical].map(([link, match]) => [fabricLinkRef(link.a, link.b), match]));
  const name = [request.fabricId, request.scopeRef].filter((part) => part !== "").join(" in ");
  return { reply, picture: () => ({ name, answer, congestionPct, watchPct, physical: seen() }) };
}

/** Links of a fabric, or those of which one end stands in a scope. */
function chosen(
  links: readonly FabricLink[],
  topology: Topology,
  { fabricId, scopeRef }: FabricTopologyRequest,
): readonly FabricLink[] {
  const fabric = fabricId === "" ? undefined : codeKey(readCode("fabric_id", fabricId));
  const ofFabric = fabric === undefined ? links : links.filter((link) => codeKey(link.fabricId ?? "") === fabric);
  if (fabricId !== "" && ofFabric.length === 0) {
    throw refuse("NOT_FOUND", `Cannot find fabric "${fabricId}"`, { field: "fabric_id", ref: `fabric:${fabricId}` });
  }
  if (scopeRef === "") return ofFabric;
  const scope = readRef("scope_ref", scopeRef, ["site", "floor", "room", "row", "zone", "rack"]);
  demandPlace(topology, scope, { field: "scope_ref", value: scopeRef });
  return ofFabric.filter(({ a, b }) =>
    [a, b].some(({ deviceCode }) => {
      const device = topology.device(deviceCode);
      return device !== undefined && standsIn(device, scope);
    }),
  );
}

function demandDevices(topology: Topology, codes: readonly string[]): void {
  const index = codes.findIndex(
    (code, at) => topology.device(readCode(`failed_device_codes[${at}]`, code)) === undefined,
  );
  const code = codes[index];
  if (code === undefined) return;
  throw refuse("NOT_FOUND", `Cannot find device "${code}"`, {
    field: `failed_device_codes[${index}]`,
    value: code,
    ref: `device:${code}`,
  });
}

/** The devices at the links' ends with all of their ports, which the topology leaves out. */
async function withNetworkPorts(reader: DcReader, links: readonly FabricLink[]): Promise<ReadonlyMap<string, Device>> {
  const codes = new Set(links.flatMap(({ a, b }) => [codeKey(a.deviceCode), codeKey(b.deviceCode)]));
  const devices = await reader.devices([...codes]);
  return new Map(devices.map((device) => [codeKey(device.code), device]));
}

async function physicalMatches(
  reader: DcReader,
  links: readonly FabricLink[],
): Promise<Map<FabricLink, PhysicalMatch>> {
  const site = new BatchedSite(reader);
  const options = { stopAtPower: true, followSplits: false, maxHops: MAX_HOPS };
  // All are waited for, so that none asks the database when the others have failed and the snapshot is gone.
  const traced = await Promise.allSettled(
    links.map(async (link) => {
      const [path] = link.a.portName === "" ? [] : await traceCable(link.a, site, options);
      return [link, physicalMatch(link, path)] as const;
    }),
  );
  return new Map(
    traced.map((one) => {
      if (one.status === "rejected") throw one.reason;
      return one.value;
    }),
  );
}

function mismatches(physical: ReadonlyMap<FabricLink, PhysicalMatch>) {
  return [...physical]
    .filter(([, match]) => match === "MISSING" || match === "MISMATCH")
    .map(([{ a, b }, match]) => ({
      severity: Severity.WARNING,
      code: `PHYSICAL_${match}`,
      message: "The cables do not join the two ends of the link",
      ref: fabricLinkRef(a, b),
    }));
}
