import { selectDrawPorts } from "#dc/model/draw.ts";
import type { ChangeRecord, Inventory, NetworkPortSummary, SourceConsumer } from "#dc/model/inventory.ts";
import type { MeasuredElement, ReadingAge, ReadingQuery, StoredReading } from "#dc/model/readings/reading_store.ts";
import { codeKey, compareByCodePoints, getResourceKey, isSamePort, toPortKey, toRefKey } from "#dc/model/ref.ts";
import type {
  Cable,
  Crac,
  Device,
  DeviceBody,
  FabricLink,
  Location,
  Port,
  PortRef,
  Rack,
  ResourceByKind,
  ResourceKind,
} from "#dc/model/resources.ts";
import type {
  ChainHead,
  CheckedRow,
  DcReader,
  DeadLetter,
  DevicePage,
  DeviceQuery,
  FeedDelivery,
  FloorCounts,
  HistoryQuery,
  InventoryCounts,
  LogReference,
  LogRow,
  RememberedRequest,
  ResourceKeys,
  StoredCheckpoint,
  StoredDocument,
  StoredVersion,
} from "#dc/ports.ts";
import { checkpointsOf, checkRows, headOf, historyOf, logReferences, logRows } from "./audit.ts";
import { documentsOf } from "./documents.ts";
import { networkPortsOf } from "./network_ports.ts";
import { elementsOf, readingsOf } from "./readings.ts";
import { reduced } from "./reduced_inventory.ts";
import { searchInMemory } from "./search.ts";
import type { MemoryState, Table } from "./state.ts";

/** The reads by plain search: short rather than fast, since it is what the databases are compared with. */
export class MemoryReader implements DcReader {
  protected readonly state: MemoryState;

  constructor(state: MemoryState) {
    this.state = state;
  }

  async revision(): Promise<number> {
    return Number(this.state.settings.get("revision") ?? 0);
  }

  async measuredElements(keys: readonly string[]): Promise<ReadonlyMap<string, MeasuredElement>> {
    const all = elementsOf(this.all("device"), this.all("crac"), this.all("rack"));
    return new Map(all.flatMap((one) => (keys.includes(one.key) ? [[one.key, one]] : [])));
  }

  async readings(query: ReadingQuery): Promise<readonly StoredReading[]> {
    return readingsOf(this.state.readings, query);
  }

  async readingAges(): Promise<readonly ReadingAge[]> {
    const all = await this.readings({ withDays: false });
    const quantities = [...new Set(all.map(({ quantity }) => quantity))].sort();
    return quantities.map((quantity) => {
      const times = all.filter((one) => one.quantity === quantity).map(({ kept }) => kept.at);
      return { quantity, count: times.length, oldest: Math.min(...times), newest: Math.max(...times) };
    });
  }

  async readingsRevision(): Promise<number> {
    return Number(this.state.settings.get("readings_revision") ?? 0);
  }

  async setting(name: string): Promise<string | undefined> {
    return this.state.settings.get(name);
  }

  async document(space: string, key: string): Promise<string | undefined> {
    return this.state.documents.get(`${space}\n${key}`);
  }

  async documents(space: string, after: string, limit: number): Promise<readonly StoredDocument[]> {
    return documentsOf(this.state.documents, space)
      .filter(({ key }) => compareByCodePoints(key, after) > 0)
      .slice(0, limit);
  }

  async stored<Kind extends ResourceKind>(
    kind: Kind,
    key: string,
  ): Promise<StoredVersion<ResourceByKind[Kind]> | undefined> {
    return this.state.resources[kind].get(key);
  }

  async device(code: string): Promise<Device | undefined> {
    return (await this.stored("device", codeKey(code)))?.resource;
  }

  async devices(codes: readonly string[]): Promise<readonly Device[]> {
    const keys = new Set(codes.map(codeKey));
    return this.all("device").filter(({ code }) => keys.has(codeKey(code)));
  }

  async powerDevices(codes: readonly string[]): Promise<readonly Device[]> {
    return (await this.devices(codes)).map(({ ports = [], ...body }) => {
      const power = ports.filter(isPower);
      return power.length === 0 ? body : { ...body, ports: power };
    });
  }

  async networkPorts(codes: readonly string[]): Promise<ReadonlyMap<string, NetworkPortSummary>> {
    return networkPortsOf(await this.devices(codes), this.all("cable"));
  }

  async rack(code: string): Promise<Rack | undefined> {
    return (await this.stored("rack", codeKey(code)))?.resource;
  }

  async crac(code: string): Promise<Crac | undefined> {
    return (await this.stored("crac", codeKey(code)))?.resource;
  }

  async devicesInRack(rackCode: string): Promise<readonly Device[]> {
    return this.all("device")
      .filter((device) => same(device.rackCode, rackCode))
      .map(selectDrawPorts);
  }

  async childrenOf(deviceCode: string): Promise<readonly DeviceBody[]> {
    return this.all("device")
      .filter((device) => same(device.parentDeviceCode, deviceCode))
      .map(bodyOf);
  }

  async cableAt(end: PortRef): Promise<Cable | undefined> {
    return this.all("cable").find(({ a, b }) => isSamePort(a, end) || isSamePort(b, end));
  }

  async cablesOf(deviceCode: string): Promise<readonly Cable[]> {
    return this.all("cable").filter(({ a, b }) => same(a.deviceCode, deviceCode) || same(b.deviceCode, deviceCode));
  }

  async cablesOfAll(deviceCodes: readonly string[]): Promise<readonly Cable[]> {
    const keys = new Set(deviceCodes.map(codeKey));
    return this.all("cable").filter(({ a, b }) => keys.has(codeKey(a.deviceCode)) || keys.has(codeKey(b.deviceCode)));
  }

  async powerCablesOf(deviceCodes: readonly string[]): Promise<readonly Cable[]> {
    const devices = await this.powerDevices(deviceCodes);
    const ends = devices.flatMap(({ code, ports = [] }) => ports.map(({ name }) => `${codeKey(code)}/${name}`));
    return this.all("cable").filter(({ a, b }) => ends.includes(toPortKey(a)) || ends.includes(toPortKey(b)));
  }

  async fabricLinksOf(deviceCode: string): Promise<readonly FabricLink[]> {
    return this.all("fabric_link").filter(
      ({ a, b }) => same(a.deviceCode, deviceCode) || same(b.deviceCode, deviceCode),
    );
  }

  async feedDeclarer(feedId: string): Promise<PortRef | undefined> {
    for (const { code, ports = [] } of this.all("device")) {
      const port = ports.find(({ powerOut }) => same(powerOut?.feedId, feedId));
      if (port !== undefined) return { deviceCode: code, portName: port.name };
    }
    return undefined;
  }

  async consumersOf(sourceRefs: readonly string[]): Promise<readonly SourceConsumer[]> {
    const wanted = new Set(sourceRefs.map(toRefKey));
    const names = (sourceRef: string | undefined) => sourceRef !== undefined && wanted.has(toRefKey(sourceRef));
    const devices = this.all("device").flatMap(({ code, ports = [] }) =>
      ports
        .filter(({ powerIn }) => names(powerIn?.sourceRef))
        .map(({ name }) => ({ kind: "device" as const, code, inlet: name })),
    );
    const cracs = this.all("crac").flatMap(({ code, powerInputs = [] }) =>
      powerInputs.flatMap(({ sourceRef }, place) =>
        names(sourceRef) ? [{ kind: "crac" as const, code, inlet: String(place) }] : [],
      ),
    );
    return [...devices, ...cracs];
  }

  async assetTagHolder(kind: "device" | "rack", assetTag: string): Promise<string | undefined> {
    const holders: readonly (Device | Rack)[] = this.all(kind);
    return holders.find((holder) => holder.assetTag === assetTag)?.code;
  }

  async racksOnFloor(siteId: string, floorNumber: number): Promise<readonly Rack[]> {
    return this.all("rack").filter(({ location }) => onFloor(location, siteId, floorNumber));
  }

  async cracsOnFloor(siteId: string, floorNumber: number): Promise<readonly Crac[]> {
    return this.all("crac").filter(({ location }) => onFloor(location, siteId, floorNumber));
  }

  async storedCablesOf(deviceCode: string): Promise<readonly StoredVersion<Cable>[]> {
    const table = this.state.resources.cable;
    return (await this.cablesOf(deviceCode)).flatMap((cable) => table.get(getResourceKey(cable)) ?? []);
  }

  async searchDevices(query: DeviceQuery): Promise<DevicePage> {
    return searchInMemory([...this.state.resources.device.values()], this.all("cable"), query);
  }

  async devicesWithFreePorts(): Promise<ReadonlySet<string>> {
    const query = { filter: { hasFreePort: true }, order: "code", descending: false, limit: 1_000_000 } as const;
    return new Set((await this.searchDevices(query)).devices.map(({ resource }) => codeKey(resource.code)));
  }

  async history(query: HistoryQuery): Promise<readonly ChangeRecord[]> {
    return historyOf(this.state, query);
  }

  async chainHead(): Promise<ChainHead> {
    return headOf(this.state);
  }

  async logRows(after: number, limit: number): Promise<readonly LogRow[]> {
    return logRows(this.state, after, limit);
  }

  async logReferences(after: LogReference | undefined, limit: number): Promise<readonly LogReference[]> {
    return logReferences(this.state, after, limit);
  }

  async checkRows(kind: ResourceKind, after: string, limit: number): Promise<readonly CheckedRow[]> {
    return checkRows(this.state, kind, after, limit);
  }

  strayRows = async (): Promise<ReadonlyMap<string, number>> => new Map();
  timesAfter = async (): Promise<ReadonlyMap<string, number>> => new Map();

  async checkpoints(): Promise<readonly StoredCheckpoint[]> {
    return checkpointsOf(this.state);
  }

  async remembered(principal: string, requestId: string): Promise<RememberedRequest | undefined> {
    return this.state.requests.get(`${principal}\n${requestId}`);
  }

  async delivered(table: string, rowKey: string, mark: string): Promise<boolean> {
    return this.state.deliveries.has(deliveryKey({ table, rowKey, mark }));
  }

  async witnessed(seq: number): Promise<boolean> {
    return [...this.state.deliveries.values()].some((delivery) => delivery.seq === seq);
  }

  async deadLetter(id: string): Promise<DeadLetter | undefined> {
    return this.state.deadLetters.get(id);
  }

  async countDeadLetters(): Promise<number> {
    return this.state.deadLetters.size;
  }

  async deadLetters(limit: number): Promise<readonly DeadLetter[]> {
    const newest = (a: DeadLetter, b: DeadLetter) =>
      compareByCodePoints(b.receivedAt, a.receivedAt) || compareByCodePoints(b.id, a.id);
    return [...this.state.deadLetters.values()].toSorted(newest).slice(0, limit);
  }

  async inventoryCounts(): Promise<InventoryCounts> {
    const floors = new Map<string, FloorCounts>();
    for (const kind of ["rack", "crac", "device"] as const) {
      for (const { location } of this.all(kind)) {
        const { siteId = "", floorNumber = 0 } = location ?? {};
        const key = `${codeKey(siteId)}/${floorNumber}`;
        const known = floors.get(key) ?? { siteId, floorNumber, rack: 0, crac: 0, device: 0 };
        floors.set(key, { ...known, [kind]: known[kind] + 1 });
      }
    }
    const links = this.all("fabric_link").map(({ fabricId }) => fabricId ?? "");
    const ports = this.all("device").reduce((sum, device) => sum + (device.ports?.length ?? 0), 0);
    return { floors: [...floors.values()], links, cables: this.all("cable").length, ports };
  }

  async page<Kind extends ResourceKind>(
    kind: Kind,
    after: string,
    limit: number,
  ): Promise<readonly ResourceByKind[Kind][]> {
    return this.all(kind)
      .filter((resource) => getResourceKey(resource) > after)
      .slice(0, limit);
  }

  async inventory(): Promise<Inventory> {
    return {
      racks: this.all("rack"),
      devices: this.all("device"),
      cracs: this.all("crac"),
      cables: this.all("cable"),
      fabricLinks: this.all("fabric_link"),
    };
  }

  async changedSince(seq: number, limit: number): Promise<readonly string[]> {
    const later = [...this.state.changes.values()].filter((record) => record.seq > seq);
    return [...new Set(later.map(({ entity }) => entity))].slice(0, limit);
  }

  async powerInventory(among?: ResourceKeys): Promise<Inventory> {
    const whole = await this.inventory();
    const inlets = new Set(
      whole.devices.flatMap(({ code, ports = [] }) =>
        ports
          .filter(({ kind }) => kind === "POWER_IN")
          .map(({ name }) => toPortKey({ deviceCode: code, portName: name })),
      ),
    );
    const power = {
      ...whole,
      devices: whole.devices.map(({ ports = [], ...body }) => {
        const kept = ports.filter(isPower);
        return kept.length === 0 ? body : { ...body, ports: kept };
      }),
      cables: whole.cables.filter(({ a, b }) => inlets.has(toPortKey(a)) || inlets.has(toPortKey(b))),
    };
    return among === undefined ? power : reduced(power, among);
  }

  protected all<Kind extends ResourceKind>(kind: Kind): readonly ResourceByKind[Kind][] {
    const table: Table<ResourceByKind[Kind]> = this.state.resources[kind];
    return [...table].toSorted(([a], [b]) => compareByCodePoints(a, b)).map(([, { resource }]) => resource);
  }
}

export function deliveryKey({ table, rowKey, mark }: Pick<FeedDelivery, "table" | "rowKey" | "mark">): string {
  return JSON.stringify([table, rowKey, mark]);
}

function same(a: string | undefined, b: string): boolean {
  return a !== undefined && codeKey(a) === codeKey(b);
}

function bodyOf({ ports: _, ...body }: Device): DeviceBody {
  return body;
}

function onFloor(location: Location | undefined, siteId: string, floorNumber: number): boolean {
  return same(location?.siteId, siteId) && location?.floorNumber === floorNumber;
}

function isPower({ kind }: Port): boolean {
  return kind === "POWER_IN" || kind === "POWER_OUT";
}
