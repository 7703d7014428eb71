import { OUTLET_STATES, type PortKind } from "#dc/model/enum_values.ts";
import type { Port, PortMapping, PowerOut } from "#dc/model/resources.ts";
import { LIST_SIZES } from "#gen/datacenter/v1/bounds.ts";
import { convertToPortType, FEED_LEGS, MAX_POSITIONS, UniquePortNames } from "../codes.ts";
import { removeEmptyFields } from "../items.ts";
import { readFlagCell, readLanesCell, readNumberCell, readTextCell } from "./dataset.ts";
import type { NetboxRow } from "./read_row.ts";
import { PORT_TABLES, type TableName } from "./tables.ts";
import type { NetboxMapping } from "./where.ts";

type ComponentTable = (typeof PORT_TABLES)[number]["table"];

const MAC_PATTERN = /^[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}$/;

interface NamedComponent {
  readonly row: NetboxRow;
  readonly table: ComponentTable;
  readonly kind: PortKind;
  readonly name: string;
}

export class PortMapper {
  readonly #mapping: NetboxMapping;
  readonly #rowsByTable: ReadonlyMap<ComponentTable, ReadonlyMap<string, readonly NetboxRow[]>>;
  readonly #lanesByFrontPort: ReadonlyMap<string, readonly NetboxRow[]>;

  constructor(mapping: NetboxMapping) {
    this.#mapping = mapping;
    this.#rowsByTable = new Map(
      PORT_TABLES.map(({ table }) => [table, mapping.data.groupRowsByField(table, "device")]),
    );
    this.#lanesByFrontPort = mapping.data.groupRowsByField("portmapping", "front_port");
  }

  /** Returns the ports of a device, and stores in the mapping the port of each possible cable end. */
  mapDevicePorts(device: NetboxRow, deviceCode: string): readonly Port[] {
    const names = new UniquePortNames();
    const named: NamedComponent[] = [];
    const byEnd = new Map<string, string>();
    for (const { table, kind, word } of PORT_TABLES) {
      for (const row of this.#rowsByTable.get(table)?.get(device.id) ?? []) {
        if (named.length >= LIST_SIZES.Device.ports) {
          this.#mapping.noteOmission(`A device has more than ${LIST_SIZES.Device.ports} ports`, table, row);
          continue;
        }
        const name = names.takeName(readTextCell(row, "name"), word, row.id);
        named.push({ row, table, kind, name });
        byEnd.set(`${table}/${row.id}`, name);
        this.#mapping.ports.set(`${table}/${row.id}`, { deviceCode, portName: name, kind });
      }
    }
    const rears = new Set<string>();
    const ports = named.flatMap((one) => {
      const port = this.#createPort(one, byEnd, rears);
      return [port, ...this.#createChannels(one, port, names)];
    });
    return ports;
  }

  /** @param rears positions of rear ports that a front port already uses */
  #createPort(
    { row, table, kind, name }: NamedComponent,
    byEnd: ReadonlyMap<string, string>,
    rears: Set<string>,
  ): Port {
    return removeEmptyFields<Port>({
      name,
      kind,
      type: this.#readPortType(row, table, kind),
      label: this.#mapping.shortenText(readTextCell(row, "label"), table, row, "label"),
      markConnected: readFlagCell(row, "marked"),
      ...this.#createKindFields({ row, table, kind, name }, byEnd, rears),
    });
  }

  #createKindFields(
    { row, table }: NamedComponent,
    byEnd: ReadonlyMap<string, string>,
    rears: Set<string>,
  ): Partial<Port> {
    switch (table) {
      case "interface":
        return this.#createInterfaceFields(row, byEnd);
      case "rearport":
        return { positions: this.#readPositions(table, row) } as Partial<Port>;
      case "frontport":
        return this.#createFrontFields(row, byEnd, rears);
      case "powerport":
        return this.#createInletFields(row);
      case "poweroutlet":
        return this.#createOutletFields(row, byEnd);
      default:
        return {};
    }
  }

  #readPortType(row: NetboxRow, table: TableName, kind: PortKind): string | undefined {
    const given = readTextCell(row, "type");
    // NetBox records a channel as virtual; in the inventory it has a cable like a physical port.
    if (given === "" || (given === "virtual" && (readNumberCell(row, "channel_id") ?? 0) > 0)) return undefined;
    const type = convertToPortType(kind, given);
    if (type !== undefined) return type;
    this.#mapping.noteOmission(
      `A type that does not belong on a port of kind ${kind}: the port has none`,
      table,
      row,
      given,
    );
    return undefined;
  }

  #createInterfaceFields(row: NetboxRow, byEnd: ReadonlyMap<string, string>): Partial<Port> {
    const mac = this.#readMac(row);
    const lag = readTextCell(row, "lag");
    const aggregate = lag === "" ? undefined : byEnd.get(`interface/${lag}`);
    const isAggregate = readTextCell(this.#mapping.data.rows("interface").get(lag), "type") === "lag";
    if (lag !== "" && (aggregate === undefined || !isAggregate)) {
      this.#mapping.noteOmission("An aggregate on another device, or a port that is none", "interface", row);
    }
    return {
      ...(readFlagCell(row, "enabled") === false && { enabled: false }),
      mgmtOnly: readFlagCell(row, "mgmt_only") ?? false,
      ...this.#readSpeed(row),
      ...(mac !== undefined && { macAddress: mac.toUpperCase() }),
      ...(aggregate !== undefined && isAggregate && { lag: aggregate }),
      ...this.#readChannel(row, byEnd),
    };
  }

  #readMac(row: NetboxRow): string | undefined {
    const id = readTextCell(row, "mac");
    const mac =
      readTextCell(this.#mapping.data.rows("macaddress").get(id), "mac_address") || readTextCell(row, "mac_address");
    if (MAC_PATTERN.test(mac)) return mac;
    if (mac !== "") this.#mapping.noteOmission("A MAC address of another form", "interface", row, mac);
    else if (id !== "") this.#mapping.noteOmission("A MAC address that is not there", "interface", row, id);
    return undefined;
  }

  /** Reads the speed, which NetBox records in kilobits per second. */
  #readSpeed(row: NetboxRow): Partial<Port> {
    const speed = readNumberCell(row, "speed") ?? 0;
    if (speed >= 1000) return { speedMbps: Math.round(speed / 1000) };
    if (speed !== 0) this.#mapping.noteOmission("A speed below 1 Mb/s", "interface", row, `${speed} kb/s`);
    return {};
  }

  #readChannel(row: NetboxRow, byEnd: ReadonlyMap<string, string>): Partial<Port> {
    const parentPort = byEnd.get(`interface/${readTextCell(row, "parent")}`);
    const channel = readNumberCell(row, "channel_id") ?? 0;
    if (parentPort !== undefined && channel > 0) return { parentPort, channel };
    if (parentPort !== undefined || channel > 0)
      this.#mapping.noteOmission("A parent without a channel, or a channel without a parent", "interface", row);
    return {};
  }

  #createFrontFields(row: NetboxRow, byEnd: ReadonlyMap<string, string>, rears: Set<string>): Partial<Port> {
    const positions = this.#readPositions("frontport", row) ?? 1;
    const mappings: PortMapping[] = [];
    const fronts = new Set<number>();
    for (const { front, rearPort, rear } of this.#listLanes(row)) {
      const name = byEnd.get(`rearport/${rearPort}`);
      const behind = this.#mapping.data.rows("rearport").get(rearPort);
      const fits =
        name !== undefined &&
        front >= 1 &&
        front <= positions &&
        rear >= 1 &&
        rear <= ((behind && readPositionCount(behind)) ?? 1);
      const key = `${rearPort}:${rear}`;
      if (!fits || rears.has(key) || fronts.has(front)) {
        this.#mapping.noteOmission(
          "A front port leads to a rear position that is not there or is taken",
          "frontport",
          row,
          key,
        );
        continue;
      }
      rears.add(key);
      fronts.add(front);
      mappings.push({ frontPosition: front, rearPort: name, rearPosition: rear });
    }
    return { ...(positions > 1 && { positions }), mappings };
  }

  #readPositions(table: TableName, row: NetboxRow): number | undefined {
    const count = readPositionCount(row);
    const given = readNumberCell(row, "positions") ?? 1;
    if (count === undefined && given !== 1)
      this.#mapping.noteOmission("A number of positions that no port has: 1 is used", table, row, String(given));
    return count;
  }

  #listLanes(row: NetboxRow) {
    const listed = readLanesCell(row);
    if (listed.length > 0) return listed;
    const dumped = this.#lanesByFrontPort.get(row.id) ?? [];
    if (dumped.length > 0) {
      return dumped.map((one) => ({
        front: readNumberCell(one, "front_port_position") ?? 1,
        rearPort: readTextCell(one, "rear_port"),
        rear: readNumberCell(one, "rear_port_position") ?? 1,
      }));
    }
    const rearPort = readTextCell(row, "rear_port");
    return rearPort === "" ? [] : [{ front: 1, rearPort, rear: readNumberCell(row, "rear_port_position") ?? 1 }];
  }

  #createInletFields(row: NetboxRow): Partial<Port> {
    const [most, allocated] = ["maximum_draw", "allocated_draw"].map((field) => this.#readWatts(row, field));
    const both = most !== undefined && allocated !== undefined && allocated > most;
    if (both)
      this.#mapping.noteOmission(
        "An allocated draw above the maximum draw: the maximum is used",
        "powerport",
        row,
        String(allocated),
      );
    const powerIn = removeEmptyFields<NonNullable<Port["powerIn"]>>({
      maxDrawW: most,
      allocatedDrawW: both ? most : allocated,
    });
    return Object.keys(powerIn).length === 0 ? {} : { powerIn };
  }

  #readWatts(row: NetboxRow, field: string): number | undefined {
    const given = readNumberCell(row, field);
    if (given === undefined || given >= 0) return given && Math.round(given);
    this.#mapping.noteOmission(`A ${field} below 0`, "powerport", row, String(given));
    return undefined;
  }

  #createOutletFields(row: NetboxRow, byEnd: ReadonlyMap<string, string>): Partial<Port> {
    const inlet = readTextCell(row, "power_port");
    const status = this.#mapping.readEnumValue(OUTLET_STATES, "poweroutlet", row, "status");
    const leg = this.#mapping.readEnumValue(FEED_LEGS, "poweroutlet", row, "feed_leg");
    const powerOut = removeEmptyFields<PowerOut>({
      inletName: inlet === "" ? undefined : byEnd.get(`powerport/${inlet}`),
      leg,
      state: status === "DISABLED" || status === "FAULTY" ? status : undefined,
    });
    return Object.keys(powerOut).length === 0 ? {} : { powerOut };
  }

  /** Returns channels of a port whose cable has several far ends. */
  #createChannels({ row, table, kind }: NamedComponent, port: Port, names: UniquePortNames): readonly Port[] {
    const end = `${table}/${row.id}`;
    const lanesThere = this.#mapping.channelsByEnd.get(end);
    if (lanesThere === undefined || kind !== "NETWORK") return [];
    const place = this.#mapping.ports.get(end);
    return lanesThere.flatMap((key, index) => {
      const own = this.#findRecordedChannel(row, index + 1);
      if (own !== undefined) {
        this.#mapping.ports.set(key, own);
        return [];
      }
      const name = names.takeName(`${port.name}:${index + 1}`, "channel", row.id);
      if (place !== undefined) this.#mapping.ports.set(key, { ...place, portName: name });
      return [{ name, kind: "NETWORK", parentPort: port.name, channel: index + 1 }];
    });
  }

  /** Returns the port of the interface that NetBox 4.7 records as a channel of another; undefined if none exists. */
  #findRecordedChannel(row: NetboxRow, channel: number) {
    const device = readTextCell(row, "device");
    const child = (this.#rowsByTable.get("interface")?.get(device) ?? []).find(
      (one) => readTextCell(one, "parent") === row.id && readNumberCell(one, "channel_id") === channel,
    );
    return child && this.#mapping.ports.get(`interface/${child.id}`);
  }
}

/** Returns how many positions a front or rear port has; undefined for one, or a number that no port has. */
function readPositionCount(row: NetboxRow): number | undefined {
  const given = readNumberCell(row, "positions");
  return given !== undefined && given > 1 && given <= MAX_POSITIONS && Number.isInteger(given) ? given : undefined;
}
