import type { DeviceStatus } from "#dc/model/enum_values.ts";
import { type DescribedResource, describeResource, limitNameLength } from "../described.ts";
import { OmissionLog, type SourceItem } from "../item.ts";
import { convertToEnumValue } from "../values.ts";
import { type NetboxDataset, readRecordCell, readTextCell, readTextListCell } from "./dataset.ts";
import type { NetboxRow } from "./read_row.ts";
import type { TableName } from "./tables.ts";
import { LocationFinder, type NetboxOptions } from "./where.ts";

/** A port of the inventory to which an end of a NetBox cable refers. */
export interface PortPlace {
  readonly deviceCode: string;
  readonly portName: string;
  readonly kind: "NETWORK" | "CONSOLE" | "CONSOLE_SERVER" | "FRONT" | "REAR" | "POWER_IN" | "POWER_OUT";
}

export class NetboxMapping {
  readonly data: NetboxDataset;
  readonly options: NetboxOptions;
  readonly where: LocationFinder;
  readonly omissions = new OmissionLog();
  readonly items: SourceItem[] = [];
  /** Codes of racks and devices by the ids of their rows. */
  racks: ReadonlyMap<string, string> = new Map();
  devices: ReadonlyMap<string, string> = new Map();
  /** Ports at the ends of cables, by NetBox end such as `interface/12`. */
  readonly ports = new Map<string, PortPlace>();
  /** Keys of the channels into which a cable with several lanes divides a port, by the port's end. */
  readonly channelsByEnd = new Map<string, readonly string[]>();

  constructor(data: NetboxDataset, options: NetboxOptions) {
    this.data = data;
    this.options = options;
    this.where = new LocationFinder(data, options);
  }

  /** Returns a text field within the limit of names. Cuts and notes a longer one. */
  readShortText(table: TableName, row: NetboxRow, field: string): string | undefined {
    return this.shortenText(readTextCell(row, field), table, row, field);
  }

  /** Returns a text within the limit of names. Cuts a longer one and notes it for a field of a row. */
  shortenText(value: string, table: TableName, row: NetboxRow, field: string): string | undefined {
    return limitNameLength(value, () =>
      this.omissions.addObject(
        `The field ${field} is longer than 128 characters: its end is left out`,
        `${table}/${row.id}`,
        getDisplayName(row),
      ),
    );
  }

  tenant(table: TableName, row: NetboxRow): string | undefined {
    return this.shortenText(
      readTextCell(this.data.findReferencedRow("tenant", row, "tenant"), "name"),
      table,
      row,
      "tenant",
    );
  }

  /** Returns labels, tags and comments of an object, with its origin. */
  createRemarks(
    table: TableName,
    row: NetboxRow,
    labels: readonly (readonly [string, string])[] = [],
    comments: readonly string[] = [],
  ): DescribedResource {
    const id = `${table}/${row.id}`;
    return describeResource(
      {
        id,
        name: getDisplayName(row),
        origin: `${this.options.origin}:${id}`,
        url: row.url,
        labels: [
          ...labels,
          ...Object.entries(readRecordCell(row, "custom")).map(([key, value]) => [`cf.${key}`, value] as const),
        ],
        tags: readTextListCell(row, "tags"),
        comments: [readTextCell(row, "description"), readTextCell(row, "comments"), ...comments],
      },
      this.omissions,
    );
  }

  /** Returns an enumeration value; notes a word that the enumeration lacks. */
  readEnumValue<Word extends string>(
    words: readonly Word[],
    table: TableName,
    row: NetboxRow,
    field: string,
    given = readTextCell(row, field),
  ): Word | undefined {
    const found = convertToEnumValue(words, given);
    if (found === undefined && given !== "")
      this.noteOmission(`A word for ${field} that is none of ours is left out`, table, row, given);
    return found;
  }

  noteOmission(reason: string, table: TableName, row: NetboxRow, detail?: string): void {
    this.omissions.addObject(reason, `${table}/${row.id}`, getDisplayName(row), detail);
  }
}

/** Returns an object's name, else its label, circuit id or row id. */
export function getDisplayName(row: NetboxRow): string {
  return readTextCell(row, "name") || readTextCell(row, "label") || readTextCell(row, "cid") || row.id;
}

const STATUS_BY_NAME: Readonly<Record<string, DeviceStatus>> = {
  active: "ACTIVE",
  offline: "OFFLINE",
  planned: "PLANNED",
  staged: "STAGED",
  failed: "FAILED",
  inventory: "INVENTORY",
  decommissioning: "DECOMMISSIONING",
};

export function convertToDeviceStatus(word: string): DeviceStatus | undefined {
  return STATUS_BY_NAME[word];
}

const KILOGRAMS_BY_UNIT: Readonly<Record<string, number>> = { kg: 1, g: 0.001, lb: 0.45359237, oz: 0.028349523125 };
const MILLIMETRES_BY_UNIT: Readonly<Record<string, number>> = { mm: 1, in: 25.4 };

export function convertToKilograms(weight: number | undefined, unit: string): number | undefined {
  const factor = KILOGRAMS_BY_UNIT[unit];
  if (weight === undefined || factor === undefined || weight <= 0) return undefined;
  return Math.round(weight * factor * 1000) / 1000;
}

export function convertToMillimetres(length: number | undefined, unit: string): number | undefined {
  const factor = MILLIMETRES_BY_UNIT[unit];
  return length === undefined || factor === undefined || length <= 0 ? undefined : Math.round(length * factor);
}
