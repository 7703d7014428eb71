import { getSupplyState } from "#dc/analysis/power/supply_state.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { codeKey } from "#dc/model/code.ts";
import { DEVICE_VIEWS, type SupplyState } from "#dc/model/enum_values.ts";
import { parseRef } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { DeviceBody } from "#dc/model/resources.ts";
import { DEVICE_ORDERS, type DeviceFilter, type DeviceOrder, type PageCursor, type StoredVersion } from "#dc/ports.ts";
import {
  DatacenterService,
  type Device,
  type SearchDevicesRequest,
  SearchDevicesResponseSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { type PowerFilter, parseDeviceFilter } from "./answers/device_filter.ts";
import { openPageToken, sealPageToken } from "./answers/page_token.ts";
import { readDevicePageSize, readEnumValue, requireLocation } from "./answers/parameters.ts";
import { listDownstreamCodes, resolveSourceNodes } from "./answers/power_sources.ts";
import { convertToMessage } from "./messages/convert.ts";
import { createBasicDeviceMessage, createDeviceMessage } from "./messages/messages.ts";
import { defineRead, type ReadSession } from "./rpc.ts";

export const searchDevices = defineRead({
  method: DatacenterService.method.searchDevices,
  effect: "read",
  async run(session, request) {
    const { reader, context } = session;
    const limit = readDevicePageSize(request.pageSize);
    const { order, descending } = readDeviceOrder(request.orderBy);
    const isFull = readEnumValue("view", request.view, DEVICE_VIEWS) === "FULL";
    const { filter, power } = parseDeviceFilter(request.filter);
    await requireFilterLocations(session, request.filter);
    const question = { filter, power, order, descending };
    const { pageToken } = request;
    const after = pageToken === "" ? undefined : openPageToken<PageCursor>(context.pageKey, question, pageToken);
    const page = await reader.searchDevices({
      filter:
        Object.keys(power).length === 0
          ? filter
          : { ...filter, ...filterCodesByPower(await session.topology(), power) },
      order,
      descending,
      limit,
      ...(after !== undefined && { after }),
    });
    return convertToMessage(SearchDevicesResponseSchema, {
      devices: await createPageMessages(session, page.devices, isFull),
      nextPageToken: page.next === undefined ? "" : sealPageToken(context.pageKey, question, page.next),
      totalCount: page.total,
      roleCounts: Object.fromEntries(page.roleCounts),
    });
  },
});

/** Requires that a filter's locations exist, so that a misspelt one is reported instead of matching nothing. */
async function requireFilterLocations(
  { topology }: ReadSession,
  filter: SearchDevicesRequest["filter"],
): Promise<void> {
  const { siteIds = [], floorRefs = [], roomRefs = [], rowRefs = [], rackCodes = [] } = filter ?? {};
  const named = [
    ...siteIds.map((code, at) => ({ field: `filter.site_ids[${at}]`, value: code, text: `site:${code}` })),
    ...floorRefs.map((text, at) => ({ field: `filter.floor_refs[${at}]`, value: text, text })),
    ...roomRefs.map((text, at) => ({ field: `filter.room_refs[${at}]`, value: text, text })),
    ...rowRefs.map((text, at) => ({ field: `filter.row_refs[${at}]`, value: text, text })),
    ...rackCodes.map((code, at) => ({ field: `filter.rack_codes[${at}]`, value: code, text: `rack:${code}` })),
  ];
  if (named.length === 0) return;
  const known = await topology();
  for (const { field, value, text } of named) {
    const ref = parseRef(text);
    if (ref !== undefined) requireLocation(known, ref, { field, value });
  }
}

function readDeviceOrder(text: string): { readonly order: DeviceOrder; readonly descending: boolean } {
  const [name = "", direction = "asc", ...rest] = text === "" ? ["code"] : text.trim().split(/\s+/);
  const order = DEVICE_ORDERS.find((known) => known === name);
  if (order !== undefined && rest.length === 0 && (direction === "asc" || direction === "desc")) {
    return { order, descending: direction === "desc" };
  }
  throw refuse("FIELD_OUT_OF_RANGE", `Cannot order by "${text}"`, {
    field: "order_by",
    value: text,
    expected: `one of ${DEVICE_ORDERS.join(", ")}, and "desc" to turn it round`,
  });
}

/** Returns the codes of the devices that match a filter's conditions on the power graph. */
function filterCodesByPower(
  topology: Topology,
  { fedBy, redundancyUnmet, redundancyUnknown, supplyStates }: PowerFilter,
): Pick<DeviceFilter, "codes" | "exceptCodes"> {
  const { power } = topology;
  const wanted: (readonly string[])[] = [];
  const unwanted: string[] = [];
  const addCondition = (isWanted: boolean | undefined, codes: () => readonly string[]): void => {
    if (isWanted === true) wanted.push(codes());
    else if (isWanted === false) unwanted.push(...codes());
  };
  if (fedBy !== undefined)
    wanted.push(listDownstreamCodes(power, resolveSourceNodes(topology, fedBy, "filter.fed_by")));
  addCondition(redundancyUnmet, () => topology.listUnmetRedundancy());
  addCondition(redundancyUnknown, () => topology.listUnknownRedundancy());
  if (supplyStates !== undefined) wanted.push(listCodesBySupply(topology, supplyStates));
  const [first, ...others] = wanted;
  return {
    ...(first !== undefined && { codes: others.reduce(intersectCodes, first) }),
    ...(unwanted.length > 0 && { exceptCodes: unwanted }),
  };
}

function intersectCodes(some: readonly string[], others: readonly string[]): readonly string[] {
  const found = new Set(others);
  return some.filter((code) => found.has(code));
}

/** Returns the codes of the devices whose supply has one of the given states. */
function listCodesBySupply({ power, live }: Topology, states: readonly SupplyState[]): readonly string[] {
  return [...power.nodes.entries()].flatMap(([index, node]) => {
    const state = getSupplyState(power, live, index);
    return node.kind === "DEVICE" && state !== undefined && states.includes(state) ? [node.device.code] : [];
  });
}

async function createPageMessages(
  { reader, scheduler }: ReadSession,
  devices: readonly StoredVersion<DeviceBody>[],
  isFull: boolean,
): Promise<readonly Device[]> {
  const full = isFull ? await reader.devices(devices.map(({ resource }) => resource.code)) : [];
  const byKey = new Map(full.map((device) => [codeKey(device.code), device]));
  const found: Device[] = [];
  for (const stored of devices) {
    await scheduler.yieldIfDue();
    const resource = byKey.get(codeKey(stored.resource.code)) ?? stored.resource;
    found.push(isFull ? createDeviceMessage({ ...stored, resource }) : createBasicDeviceMessage(stored));
  }
  return found;
}
