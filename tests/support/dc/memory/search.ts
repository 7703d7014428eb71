import { getDrawW } from "#dc/model/draw.ts";
import { codeKey, compareByCodePoints, toPortKey } from "#dc/model/ref.ts";
import type { Cable, Device, DeviceBody, Location, Port } from "#dc/model/resources.ts";
import type { DeviceFilter, DeviceOrder, DevicePage, DeviceQuery, LocationArea, StoredVersion } from "#dc/ports.ts";
import { formatSearchText } from "#dc/store/sql/sql_runner.ts";

type Row = StoredVersion<Device>;

/** The search as a plain filter and sort over every device. */
export function searchInMemory(rows: readonly Row[], cables: readonly Cable[], query: DeviceQuery): DevicePage {
  const cabled = new Set(cables.flatMap(({ a, b }) => [toPortKey(a), toPortKey(b)]));
  const found = rows.filter((row) => matches(row, query.filter, cabled));
  const turn = query.descending ? -1 : 1;
  const sorted = found.toSorted((a, b) => turn * compare(position(a, query.order), position(b, query.order)));
  const { after } = query;
  const rest =
    after === undefined ? sorted : sorted.filter((row) => turn * compare(position(row, query.order), after) > 0);
  const page = rest.slice(0, query.limit);
  const last = page.at(-1);
  const more = rest.length > page.length && last !== undefined;
  return {
    devices: page.map((row) => ({ ...row, resource: withoutPorts(row.resource) })),
    ...(more && { next: position(last, query.order) }),
    total: found.length,
    roleCounts: countRoles(found),
  };
}

interface Position {
  readonly value: string | number;
  readonly key: string;
}

function position(row: Row, order: DeviceOrder): Position {
  return { value: ORDER_VALUES[order](row), key: codeKey(row.resource.code) };
}

const ORDER_VALUES: Readonly<Record<DeviceOrder, (row: Row) => string | number>> = {
  code: ({ resource }) => codeKey(resource.code),
  name: ({ resource }) => resource.name ?? "",
  role: ({ resource }) => resource.role ?? "",
  rack_code: ({ resource }) => codeKey(resource.rackCode ?? ""),
  position_u: ({ resource }) => resource.positionU ?? -1,
  update_time: ({ updateTime }) => updateTime,
  draw_w: ({ resource }) => getDrawW(resource, "ALLOCATED") ?? -1,
};

function compare(a: Position, b: Position): number {
  const first =
    typeof a.value === "number" && typeof b.value === "number"
      ? a.value - b.value
      : compareByCodePoints(String(a.value), String(b.value));
  return first || compareByCodePoints(a.key, b.key);
}

function countRoles(rows: readonly Row[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const role of rows.map(({ resource }) => resource.role ?? "").toSorted(compareByCodePoints)) {
    counts.set(role, (counts.get(role) ?? 0) + 1);
  }
  return counts;
}

function withoutPorts({ ports: _, ...body }: Device): DeviceBody {
  return body;
}

function matches({ resource: device, updateTime }: Row, filter: DeviceFilter, cabled: ReadonlySet<string>): boolean {
  return (
    matchesWords(device, filter) &&
    matchesPlace(device.location, filter) &&
    matchesFigures(device, updateTime, filter) &&
    matchesMarks(device, filter) &&
    matchesPorts(device, filter, cabled)
  );
}

function within(values: readonly string[] | undefined, value: string | undefined): boolean {
  return values === undefined || values.some((one) => one.toLowerCase() === (value ?? "").toLowerCase());
}

function matchesWords(device: Device, filter: DeviceFilter): boolean {
  return (
    (filter.query === undefined || formatSearchText(device).includes(filter.query.toLowerCase())) &&
    within(filter.kinds, device.kind) &&
    (filter.roles === undefined || filter.roles.includes(device.role ?? "")) &&
    within(filter.statuses, device.status) &&
    within(filter.rackCodes, device.rackCode) &&
    within(filter.manufacturers, device.manufacturer) &&
    within(filter.models, device.model) &&
    within(filter.codes, device.code) &&
    (filter.exceptCodes === undefined || !within(filter.exceptCodes, device.code))
  );
}

function matchesPlace(location: Location | undefined, { siteIds, floors, rooms, rows }: DeviceFilter): boolean {
  const onFloor = (siteId: string, floorNumber: number) =>
    codeKey(location?.siteId ?? "") === codeKey(siteId) && (location?.floorNumber ?? 0) === floorNumber;
  const inArea = (areas: readonly LocationArea[] | undefined, name: string | undefined) =>
    areas === undefined ||
    areas.some((area) => onFloor(area.siteId, area.floorNumber) && codeKey(name ?? "") === codeKey(area.name));
  return (
    within(siteIds, location?.siteId) &&
    (floors === undefined || floors.some(({ siteId, floorNumber }) => onFloor(siteId, floorNumber))) &&
    inArea(rooms, location?.room) &&
    inArea(rows, location?.row)
  );
}

function matchesFigures(device: Device, updateTime: string, filter: DeviceFilter): boolean {
  const draw = getDrawW(device, "ALLOCATED") ?? Number.NaN;
  const inlets = (device.ports ?? []).filter(({ kind }) => kind === "POWER_IN").length;
  return (
    (filter.minDrawW === undefined || draw >= filter.minDrawW) &&
    (filter.maxDrawW === undefined || draw <= filter.maxDrawW) &&
    (filter.updatedSince === undefined || updateTime >= filter.updatedSince) &&
    (filter.racked === undefined || (device.rackCode !== undefined) === filter.racked) &&
    (filter.singleCorded === undefined || (inlets === 1) === filter.singleCorded)
  );
}

function matchesMarks({ tags = [], labels = {} }: Device, filter: DeviceFilter): boolean {
  return (
    (filter.tags ?? []).every((tag) => tags.includes(tag)) &&
    Object.entries(filter.labels ?? {}).every(([name, value]) => labels[name] === value)
  );
}

function matchesPorts({ code, ports = [] }: Device, filter: DeviceFilter, cabled: ReadonlySet<string>): boolean {
  const { portType, hasFreePort } = filter;
  const isData = ({ kind }: Port) => kind !== "POWER_IN" && kind !== "POWER_OUT";
  const typed = ports.filter((port) => (portType === undefined ? isData(port) : port.type === portType));
  const free = typed.some(
    ({ name, markConnected }) => markConnected !== true && !cabled.has(toPortKey({ deviceCode: code, portName: name })),
  );
  return (portType === undefined || typed.length > 0) && (hasFreePort === undefined || free === hasFreePort);
}
