import { computeUtilization, listNodeLoadReasons } from "#dc/analysis/power/power_failover.ts";
import { listInletPaths, listSinglePointRefs } from "#dc/analysis/power/power_killers.ts";
import { countUnknownDraws, isLoadUnknown } from "#dc/analysis/power/unknown_draws.ts";
import { getDrawSource, getDrawW, isPowerKind } from "#dc/model/draw.ts";
import {
  AuditEntrySchema,
  CableSchema,
  DatacenterService,
  type Device,
  DeviceFilterSchema,
  type DeviceFilter as FilterMessage,
  GetDeviceResponseSchema,
  type SearchDevicesRequest,
  SearchDevicesResponseSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import type { DeviceFilter as Written } from "#gen/datacenter/v1/messages.ts";
import {
  computeBatteryMinutes,
  findActiveInletName,
  getSupplyState,
  isRedundancyUnmet,
  isRedundancyUnproven,
  listUndocumentedInlets,
  type RedundancyVerdict,
} from "../analysis/power/power_figures.ts";
import type { Topology } from "../analysis/topology.ts";
import { MAX_FILTER_VALUES, MAX_LABELS, MAX_QUERY_CHARS, MAX_TAGS } from "../limits.ts";
import { DEVICE_VIEWS, type SupplyState } from "../model/enum_values.ts";
import { codeKey, parseRef, REF_GRAMMAR, type Ref } from "../model/ref.ts";
import { refuse } from "../model/refusal.ts";
import type { DeviceBody } from "../model/resources.ts";
import { formatWireName } from "../model/rules/general.ts";
import {
  DEVICE_ORDERS,
  type DeviceFilter,
  type DeviceOrder,
  type LocationArea,
  type PageCursor,
  type PowerFilterField,
  type StoredVersion,
} from "../ports.ts";
import { listDownstreamCodes, resolveSourceNodes } from "./answers/failing_sources.ts";
import {
  openPageToken,
  readCode,
  readDevicePageSize,
  readEnumValue,
  requireLocation,
  sealPageToken,
} from "./answers/parameters.ts";
import { OUTCOME_BY_ACTION } from "./audit_history.ts";
import {
  convertFromMessage,
  convertToMessage,
  createBasicDeviceMessage,
  createDeviceMessage,
  createStoredMessage,
} from "./messages/convert.ts";
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
    const after = openPageToken<PageCursor>(context.pageKey, question, request.pageToken);
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
  const listCodes = (verdicts: readonly RedundancyVerdict[]) => verdicts.map(({ code }) => code);
  addCondition(redundancyUnmet, () => listCodes(topology.listRedundancyVerdicts().filter(isRedundancyUnmet)));
  addCondition(redundancyUnknown, () => listCodes(topology.listRedundancyVerdicts().filter(isRedundancyUnproven)));
  if (supplyStates !== undefined) wanted.push(listCodesBySupply(topology, supplyStates));
  const [first, ...others] = wanted;
  return {
    ...(first !== undefined && {
      codes: [...others.reduce((found, codes) => found.intersection(new Set(codes)), new Set(first))],
    }),
    ...(unwanted.length > 0 && { exceptCodes: unwanted }),
  };
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

/** Conditions of a device filter that are evaluated on the power graph. */
type PowerFilter = Pick<Partial<Written>, PowerFilterField>;

/** A device filter whose codes and references are parsed. */
interface ParsedFilter {
  readonly filter: DeviceFilter;
  readonly power: PowerFilter;
}

/** Parses a filter. @throws Refusal for codes and references that do not parse, and for too many values */
function parseDeviceFilter(message: FilterMessage | undefined): ParsedFilter {
  if (message === undefined) return { filter: {}, power: {} };
  const written = convertFromMessage<Partial<Written>>(DeviceFilterSchema, message, "filter");
  const { floorRefs, roomRefs, rowRefs, fedBy, redundancyUnmet, redundancyUnknown, supplyStates, ...plain } = written;
  const { query = "", tags = [], labels = {}, ...others } = plain;
  requireMaxValueCount(MAX_QUERY_CHARS, query.length, { field: "query", unit: "characters" });
  // A device has at most MAX_TAGS tags, and a match has all tags of the filter.
  requireMaxValueCount(MAX_TAGS, tags.length, { field: "tags", unit: "values" });
  requireMaxValueCount(MAX_LABELS, Object.keys(labels).length, { field: "labels", unit: "values" });
  for (const [field, value] of Object.entries({ ...others, floorRefs, roomRefs, rowRefs })) {
    if (Array.isArray(value))
      requireMaxValueCount(MAX_FILTER_VALUES, value.length, { field: formatWireName(field), unit: "values" });
  }
  requireValidCodes("filter.site_ids", plain.siteIds ?? []);
  requireValidCodes("filter.rack_codes", plain.rackCodes ?? []);
  return {
    filter: {
      ...plain,
      ...(floorRefs !== undefined && {
        floors: floorRefs.map((text, index) => parseFloor(text, `filter.floor_refs[${index}]`)),
      }),
      ...(roomRefs !== undefined && { rooms: parseAreas("room", roomRefs, "filter.room_refs") }),
      ...(rowRefs !== undefined && { rows: parseAreas("row", rowRefs, "filter.row_refs") }),
    },
    power: {
      ...(fedBy !== undefined && { fedBy }),
      ...(redundancyUnmet !== undefined && { redundancyUnmet }),
      ...(redundancyUnknown !== undefined && { redundancyUnknown }),
      ...(supplyStates !== undefined && supplyStates.length > 0 && { supplyStates }),
    },
  };
}

function requireMaxValueCount(
  max: number,
  count: number,
  { field, unit }: { readonly field: string; readonly unit: string },
) {
  if (count <= max) return;
  const expected = `at most ${max} ${unit}`;
  throw refuse("FIELD_OUT_OF_RANGE", `Filter "${field}" holds too many ${unit}: expected ${expected}`, {
    field: `filter.${field}`,
    value: count,
    expected,
  });
}

function requireValidCodes(field: string, codes: readonly string[]): void {
  for (const [index, code] of codes.entries()) readCode(`${field}[${index}]`, code);
}

function parseFloor(text: string, field: string) {
  const ref = parseRefOf(text, "floor", field);
  return { siteId: ref.site, floorNumber: ref.floor };
}

function parseAreas(kind: "room" | "row", texts: readonly string[], field: string): readonly LocationArea[] {
  return texts.map((text, index) => {
    const ref = parseRefOf(text, kind, `${field}[${index}]`) as Extract<Ref, { name: unknown }>;
    return { siteId: ref.site, floorNumber: ref.floor, name: ref.name };
  });
}

function parseRefOf<Kind extends Ref["kind"]>(text: string, kind: Kind, field: string): Extract<Ref, { kind: Kind }> {
  const ref = parseRef(text);
  if (ref?.kind === kind) return ref as Extract<Ref, { kind: Kind }>;
  throw refuse("INVALID_REF", `Cannot read ${kind} "${text}"`, {
    field,
    value: text,
    expected: REF_GRAMMAR[kind],
  });
}

/** Maximum number of recent changes in the reply. Source: docs/rpcs.md#getdevice. */
const MAX_RECENT_CHANGES = 10;

export const getDevice = defineRead({
  method: DatacenterService.method.getDevice,
  effect: "read",
  async run({ reader, topology }, { code: asked, view }) {
    const code = readCode("code", asked);
    const isBasic = readEnumValue("view", view, DEVICE_VIEWS) === "BASIC";
    const stored = await reader.stored("device", codeKey(code));
    if (stored === undefined)
      throw refuse("NOT_FOUND", `Cannot find device "${code}"`, { field: "code", ref: `device:${code}` });
    const site = await topology();
    const { power, live } = site;
    const index = power.indexOf.get(`device:${codeKey(code)}`) ?? -1;
    const changes = await reader.history({ entity: `device:${code}`, descending: true, limit: MAX_RECENT_CHANGES });
    return convertToMessage(GetDeviceResponseSchema, {
      device: isBasic ? createBasicDeviceMessage(stored) : createDeviceMessage(stored),
      powerChain: listInletPaths(power, live, index).map((path) => ({ ...path, pathLabel: path.label })),
      powerSinglePoints: listSinglePointRefs(power, index),
      cables: (await reader.storedCablesOf(stored.resource.code)).map((cable) =>
        createStoredMessage(CableSchema, cable),
      ),
      // The load after the loss of another element can be higher only for supplies.
      ...computeDeviceLoads(power.supplies.count(index) === 0 ? site : await topology("judged"), index),
      ...(!isPowerKind(stored.resource.kind) && {
        drawSource: getDrawSource(stored.resource),
        drawW: getDrawW(stored.resource, "ALLOCATED"),
      }),
      consumersWithoutDraw: countUnknownDraws(power, index),
      supplyState: getSupplyState(power, live, index),
      undocumentedInlets: listUndocumentedInlets(power, index),
      activeInlet: findActiveInletName(power, live, index),
      recent: changes.map((record) =>
        convertToMessage(AuditEntrySchema, { ...record, outcome: OUTCOME_BY_ACTION[record.action], sealed: true }),
      ),
    });
  },
});

/**
 * Returns a device's load and its highest load after the loss of any one other element. For a supply, also returns its
 * utilization, battery minutes and health reasons.
 */
function computeDeviceLoads(site: Topology, index: number) {
  const { power, loadsW } = site;
  if (power.supplies.count(index) === 0) {
    return { powerLoadW: loadsW[index] ?? 0, powerFailoverW: loadsW[index] ?? 0 };
  }
  const carried = site.computeCarriedLoads("ALLOCATED");
  const used = computeUtilization(carried, index);
  return {
    powerLoadW: loadsW[index] ?? 0,
    powerFailoverW: carried.failover.loads[index] ?? 0,
    powerFailoverRef: power.nodes[carried.failover.lost[index] ?? -1]?.ref,
    ...(!isLoadUnknown(carried, index) && { powerPct: used?.normalPct, powerFailoverPct: used?.failoverPct }),
    batteryMin: computeBatteryMinutes(power.nodes[index], loadsW[index] ?? 0),
    batteryFailoverMin: computeBatteryMinutes(power.nodes[index], carried.failover.loads[index] ?? 0),
    powerReasons: listNodeLoadReasons(carried, index),
  };
}
