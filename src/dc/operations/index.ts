import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { bulkDeleteCracs } from "./bulk_delete_cracs.ts";
import { bulkDeleteDevices } from "./bulk_delete_devices.ts";
import { bulkDeleteRacks } from "./bulk_delete_racks.ts";
import { bulkUpsertCracs } from "./bulk_upsert_cracs.ts";
import { bulkUpsertDevices } from "./bulk_upsert_devices.ts";
import { bulkUpsertRacks } from "./bulk_upsert_racks.ts";
import { deleteCable } from "./delete_cable.ts";
import { deleteCrac } from "./delete_crac.ts";
import { deleteDevice } from "./delete_device.ts";
import { deleteFabricLink } from "./delete_fabric_link.ts";
import { deleteRack } from "./delete_rack.ts";
import { fabricTopology } from "./fabric_topology.ts";
import { floorPlan } from "./floor_plan.ts";
import { getDevice } from "./get_device.ts";
import { getPort } from "./get_port.ts";
import { getRack } from "./get_rack.ts";
import { applyChanges } from "./planning/apply_changes.ts";
import { bulkUpsertCables } from "./planning/bulk_upsert_cables.ts";
import { findPlacement } from "./planning/find_placement.ts";
import { getDeviceType } from "./planning/get_device_type.ts";
import { listDeviceTypes } from "./planning/list_device_types.ts";
import { listInventory } from "./planning/list_inventory.ts";
import { previewChanges } from "./planning/preview_changes.ts";
import { rehearseFailures } from "./planning/rehearse_failures.ts";
import { searchDeviceTypes } from "./planning/search_device_types.ts";
import { searchInventory } from "./planning/search_inventory.ts";
import { upsertDeviceType } from "./planning/upsert_device_type.ts";
import { powerBlastRadius } from "./power_blast_radius.ts";
import { render } from "./render.ts";
import type { Rpc } from "./rpc.ts";
import { searchDevices } from "./search_devices.ts";
import { thermalHeadroom } from "./thermal_headroom.ts";
import { traceCablePath } from "./trace_cable_path.ts";
import { upsertCable } from "./upsert_cable.ts";
import { upsertCrac } from "./upsert_crac.ts";
import { upsertDevice } from "./upsert_device.ts";
import { upsertFabricLink } from "./upsert_fabric_link.ts";
import { upsertRack } from "./upsert_rack.ts";

/** Every RPC in the order of the proto. Source: docs/contract/datacenter-interfaces.md#rpcs. */
export const rpcs: readonly Rpc[] = [
  powerBlastRadius,
  traceCablePath,
  getRack,
  thermalHeadroom,
  fabricTopology,
  floorPlan,
  searchDevices,
  getDevice,
  getPort,
  render,
  upsertDevice,
  deleteDevice,
  upsertRack,
  deleteRack,
  upsertCrac,
  deleteCrac,
  bulkUpsertDevices,
  bulkDeleteDevices,
  bulkUpsertRacks,
  bulkDeleteRacks,
  bulkUpsertCracs,
  bulkDeleteCracs,
  upsertCable,
  deleteCable,
  upsertFabricLink,
  deleteFabricLink,
];

/** Every RPC of planning. A new one is a row here and a file beside the others. */
export const planningRpcs: readonly Rpc[] = [
  upsertDeviceType,
  getDeviceType,
  listDeviceTypes,
  searchDeviceTypes,
  rehearseFailures,
  listInventory,
  searchInventory,
  bulkUpsertCables,
  applyChanges,
  previewChanges,
  findPlacement,
];

/** The services and their RPCs. Every interface serves this table. */
export const SERVICES = [
  { service: DatacenterService, rpcs },
  { service: PlanningService, rpcs: planningRpcs },
] as const;

/** The RPCs of all services. */
export const allRpcs: readonly Rpc[] = [...rpcs, ...planningRpcs];

const RPC_OF: ReadonlyMap<object, Rpc> = new Map(allRpcs.map((rpc) => [rpc.method, rpc]));

/** The RPC of a method; undefined for a method of another service. */
export function rpcOf(method: object): Rpc | undefined {
  return RPC_OF.get(method);
}
