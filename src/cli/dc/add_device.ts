import { create } from "@bufbuild/protobuf";
import { fillDeviceFromType, removeEmptyFields } from "#dc/exchange/items.ts";
import type { DeviceKind } from "#dc/model/enum_values.ts";
import type { DeviceType } from "#dc/model/inventory.ts";
import type { Device } from "#dc/model/resources.ts";
import { requireRpc } from "#dc/operations/index.ts";
import { convertToMessage } from "#dc/operations/messages/convert.ts";
import { readDeviceType } from "#dc/operations/planning/device_types.ts";
import { NO_VERSION } from "#dc/operations/writes/upsert.ts";
import type { DcReader } from "#dc/ports.ts";
import {
  DatacenterService,
  DeviceSchema,
  UpsertDeviceRequestSchema,
  type UpsertDeviceResponse,
  UpsertDeviceResponseSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import type { ArgValues } from "../args.ts";
import { print } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { UsageError } from "../usage_error.ts";
import { type ADD_DEVICE_FLAGS, convertToEnumName } from "./asked_flags.ts";
import type { DatabaseLocation } from "./database.ts";
import { createCommandCaller, openLocalService, printReplyJson, withStore } from "./with_service.ts";

/** Options of `planner dc add device`. The device's type or the service sets absent fields. */
export interface AddDeviceOptions extends Omit<ArgValues<typeof ADD_DEVICE_FLAGS>, "db"> {
  readonly code: string;
}

const UPSERT_DEVICE_RPC = requireRpc(DatacenterService.method.upsertDevice);
const COMMAND_CALLER = createCommandCaller("dc add");

/** Creates a device and prints the warnings of the write. @throws OperationError if it is invalid or already exists */
export async function addDevice(database: DatabaseLocation, call: AddDeviceOptions, log: StderrLogger): Promise<void> {
  const said = createGivenDevice(call);
  return withStore(database, async (store) => {
    const device = await store.read((reader) => completeDevice(reader, said, call.type));
    const service = await openLocalService(store);
    const request = create(UpsertDeviceRequestSchema, {
      device: convertToMessage(DeviceSchema, device),
      etag: NO_VERSION,
      validateOnly: call["dry-run"],
      changeMessage: call.message ?? "",
    });
    const reply = (await service.call(UPSERT_DEVICE_RPC, request, COMMAND_CALLER)) as UpsertDeviceResponse;
    if (call.json) printReplyJson(UpsertDeviceResponseSchema, reply);
    else print(`device:${device.code} ${call["dry-run"] ? "can be created" : "created"}\n`);
    for (const { code, message } of reply.warnings) log.note(`${code}: ${message}`);
  });
}

async function completeDevice(reader: DcReader, said: GivenDevice, type: string | undefined): Promise<Device> {
  const deviceType = type === undefined ? undefined : await requireDeviceType(reader, type);
  const kind = said.kind ?? deviceType?.kind;
  if (kind === undefined) throw new UsageError('Missing "--type" or "--kind": expected one of them');
  const { manufacturer, model } = deviceType ?? {};
  const device = removeEmptyFields<Device>({ ...said, kind, manufacturer, model });
  return deviceType === undefined ? device : fillDeviceFromType(device, deviceType);
}

async function requireDeviceType(reader: DcReader, code: string): Promise<DeviceType> {
  const stored = await readDeviceType(reader, code);
  if (stored !== undefined) return stored.resource;
  throw new OperationError("not_found", `Cannot find device type "${code}": \`planner dc types list\` shows the types`);
}

type GivenDevice = Omit<Device, "kind"> & { readonly kind?: DeviceKind };

function createGivenDevice(call: AddDeviceOptions): GivenDevice {
  const positionU = call.position === undefined ? undefined : Number(call.position);
  if (positionU !== undefined && !(positionU > 0)) {
    throw new UsageError(`Wrong value "${call.position}" for "--position": expected a unit, such as 12`);
  }
  const { site, floor, room } = call;
  return removeEmptyFields<GivenDevice>({
    code: call.code,
    kind: call.kind && convertToEnumName(call.kind),
    status: call.status && convertToEnumName(call.status),
    name: call.name,
    rackCode: call.rack,
    positionU,
    face: call.face ? convertToEnumName(call.face) : positionU && "FRONT",
    parentDeviceCode: call.chassis,
    bay: call.bay,
    mount: call.bay === undefined ? undefined : "BAY",
    location: site === undefined ? undefined : { siteId: site, floorNumber: parseFloor(floor), ...(room && { room }) },
    serial: call.serial,
    assetTag: call["asset-tag"],
    tenant: call.tenant,
  } as GivenDevice);
}

function parseFloor(given: string | undefined): number {
  const floor = Number(given ?? 0);
  if (Number.isInteger(floor)) return floor;
  throw new UsageError(`Wrong value "${given}" for "--floor": expected a whole number, such as -1`);
}
