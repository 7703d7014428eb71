import type { DescMethod, DescService } from "@bufbuild/protobuf";
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
import { resourceWrites } from "./resource_writes.ts";
import type { Rpc } from "./rpc.ts";
import { thermalHeadroom } from "./thermal_headroom.ts";

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
