import { create, type DescMethod, type DescMethodUnary, type DescService } from "@bufbuild/protobuf";
import { Refusal } from "#dc/model/refusal.ts";
import type { Cable, PortRef } from "#dc/model/resources.ts";
import { checkEndShape, checkLinkEndShape } from "#dc/model/rules/power_in.ts";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { getDevice, searchDevices } from "./device_reads.ts";
import { fabricTopology } from "./fabric_topology.ts";
import { listNotices, resendDeadNotices, testNotice } from "./notices/notice_rpcs.ts";
import { applyChanges, previewChanges } from "./planning/change_list.ts";
import { getDeviceType, listDeviceTypes, upsertDeviceType } from "./planning/device_types.ts";
import { findPlacement } from "./planning/find_placement.ts";
import { getCapacity } from "./planning/get_capacity.ts";
import { listInventory } from "./planning/list_inventory.ts";
import { listFindings } from "./planning/readings/list_findings.ts";
import { listReadings, reportReadings } from "./planning/readings/readings.ts";
import { rehearseFailures } from "./planning/rehearse_failures.ts";
import { searchDeviceTypes, searchInventory } from "./planning/search_inventory.ts";
import { listWindows } from "./planning/windows/list_windows.ts";
import { deleteWindow, upsertWindow } from "./planning/windows/put_window.ts";
import { checkWindow, getWindow } from "./planning/windows/window_reads.ts";
import { getPort, traceCablePath } from "./port_reads.ts";
import { powerBlastRadius } from "./power_blast_radius.ts";
import { floorPlan, getRack } from "./rack_reads.ts";
import { render } from "./render.ts";
import type { Rpc, WriteRpc, WriteSession } from "./rpc.ts";
import { thermalHeadroom } from "./thermal_headroom.ts";
import {
  type BulkKind,
  type CodedKind,
  deleteInBulk,
  deleteSingleResource,
  upsertInBulk,
  upsertSingleResource,
} from "./writes/mutations.ts";
import { type RemovedResource, removeResource } from "./writes/remove.ts";

interface EdgeEnds {
  readonly a: PortRef;
  readonly b: PortRef;
}

const END_CHECKS = { cable: checkEndShape, fabric_link: checkLinkEndShape } as const;

/** Returns the two ends of a requested edge. @throws Refusal for a missing end or an invalid port reference */
function readEdgeEnds(
  kind: keyof typeof END_CHECKS,
  { a, b }: { readonly a?: PortRef | undefined; readonly b?: PortRef | undefined },
): EdgeEnds {
  const shape = END_CHECKS[kind];
  const [first, ...others] = [...shape("a", a), ...shape("b", b)];
  if (first !== undefined) throw new Refusal(first, others);
  return { a: readEnd(a), b: readEnd(b) };
}

function readEnd(given: PortRef | undefined): PortRef {
  return { deviceCode: given?.deviceCode ?? "", portName: given?.portName ?? "" };
}

type EdgeKind = "cable" | "fabric_link";

/** Request of any single deletion: a resource's code, or the two ends of an edge. */
type DeleteRequest = Parameters<typeof deleteSingleResource>[2] & Partial<Cable>;

const { method } = DatacenterService;

/** RPCs that write resources of one kind. */
const resourceWrites: readonly WriteRpc[] = [
  createUpsertRpc(method.upsertDevice, "device"),
  createUpsertRpc(method.upsertRack, "rack"),
  createUpsertRpc(method.upsertCrac, "crac"),
  createUpsertRpc(method.upsertCable, "cable"),
  createUpsertRpc(method.upsertFabricLink, "fabric_link"),
  createDeleteRpc(method.deleteDevice, "device"),
  createDeleteRpc(method.deleteRack, "rack"),
  createDeleteRpc(method.deleteCrac, "crac"),
  createDeleteRpc(method.deleteCable, "cable"),
  createDeleteRpc(method.deleteFabricLink, "fabric_link"),
  createBulkUpsertRpc(method.bulkUpsertDevices, "device"),
  createBulkUpsertRpc(method.bulkUpsertRacks, "rack"),
  createBulkUpsertRpc(method.bulkUpsertCracs, "crac"),
  createBulkUpsertRpc(PlanningService.method.bulkUpsertCables, "cable"),
  createBulkDeleteRpc(method.bulkDeleteDevices, "device"),
  createBulkDeleteRpc(method.bulkDeleteRacks, "rack"),
  createBulkDeleteRpc(method.bulkDeleteCracs, "crac"),
];

/** Creates a write RPC. The compiler knows the request only as a union of all kinds' messages, hence the cast. */
function createWriteRpc<Request>(
  described: DescMethodUnary,
  run: (session: WriteSession, request: Request) => Promise<unknown>,
): WriteRpc {
  return { method: described, effect: "write", run: run as unknown as WriteRpc["run"] };
}

function createUpsertRpc(described: DescMethodUnary, kind: CodedKind | EdgeKind): WriteRpc {
  return createWriteRpc(described, (session, request: Parameters<typeof upsertSingleResource>[3]) =>
    upsertSingleResource(session, described, kind, request),
  );
}

function createDeleteRpc(described: DescMethodUnary, kind: CodedKind | EdgeKind): WriteRpc {
  return createWriteRpc(described, async (session, request: DeleteRequest) => {
    const { ref, deleted, cascadedRefs } = await removeRequestedResource(session, kind, request);
    return create(described.output, { ref, deleted, cascadedRefs } as never);
  });
}

function removeRequestedResource(
  session: WriteSession,
  kind: CodedKind | EdgeKind,
  request: DeleteRequest,
): Promise<RemovedResource> {
  if (kind !== "cable" && kind !== "fabric_link")
    return deleteSingleResource(session, kind, { ...request, field: "code" });
  const { etag, allowMissing } = request;
  return removeResource(session, kind, readEdgeEnds(kind, request), { field: "", etag, allowMissing, cascade: false });
}

function createBulkUpsertRpc(described: DescMethodUnary, kind: BulkKind): WriteRpc {
  return createWriteRpc(described, (session, request: Parameters<typeof upsertInBulk>[2]) =>
    upsertInBulk(session, kind, request),
  );
}

function createBulkDeleteRpc(described: DescMethodUnary, kind: CodedKind): WriteRpc {
  return createWriteRpc(described, (session, request: Parameters<typeof deleteInBulk>[2]) =>
    deleteInBulk(session, kind, request),
  );
}

/** RPCs by method. Every interface, role check and metric is derived from this map. */
const RPC_BY_METHOD: ReadonlyMap<DescMethod, Rpc> = new Map(
  [
    applyChanges,
    checkWindow,
    deleteWindow,
    fabricTopology,
    findPlacement,
    floorPlan,
    getCapacity,
    getDevice,
    getDeviceType,
    getPort,
    getRack,
    getWindow,
    listDeviceTypes,
    listFindings,
    listInventory,
    listNotices,
    listReadings,
    listWindows,
    powerBlastRadius,
    previewChanges,
    rehearseFailures,
    render,
    reportReadings,
    resendDeadNotices,
    searchDevices,
    searchDeviceTypes,
    searchInventory,
    testNotice,
    thermalHeadroom,
    traceCablePath,
    upsertDeviceType,
    upsertWindow,
    ...resourceWrites,
  ].map((rpc: Rpc) => [rpc.method, rpc]),
);

/** Returns the RPC of a method; undefined for a method of another service. */
export function findRpc(method: DescMethod): Rpc | undefined {
  return RPC_BY_METHOD.get(method);
}

/** Returns the RPC of a method of our services. @throws Error for any other method */
export function requireRpc(method: DescMethod): Rpc {
  const rpc = findRpc(method);
  if (rpc === undefined) throw new Error(`No RPC serves ${method.name}`);
  return rpc;
}

/** Returns the RPCs of a service in the order of its proto. */
function listRpcsOfService({ methods }: DescService): readonly Rpc[] {
  return methods.map(requireRpc);
}

/** The RPCs of the contract. Source: docs/contract/datacenter-interfaces.md#rpcs. */
export const datacenterRpcs = listRpcsOfService(DatacenterService);

export const planningRpcs = listRpcsOfService(PlanningService);

/** The services and their RPCs. Every interface serves this table. */
export const SERVICES = [
  { service: DatacenterService, rpcs: datacenterRpcs },
  { service: PlanningService, rpcs: planningRpcs },
] as const;

export const allRpcs: readonly Rpc[] = [...datacenterRpcs, ...planningRpcs];
