import type { DeviceStatus } from "#dc/model/enum_values.ts";
import { type DescribedResource, describeResource, limitNameLength } from "../described.ts";
import { Omissions, type SourceItem } from "../item.ts";
import { convertToEnumWord } from "../values.ts";
import { type Dataset, readRecordCell, readTextCell, readTextListCell } from "./dataset.ts";
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
  readonly data: Dataset;
  readonly options: NetboxOptions;
  readonly where: LocationFinder;
  readonly omissions = new Omissions();
  readonly items: SourceItem[] = [];
  /** Codes of racks and devices by the ids of their rows. */
  racks: ReadonlyMap<string, string> = new Map();
  devices: ReadonlyMap<string, string> = new Map();
  /** Ports at the ends of cables, by NetBox end such as `interface/12`. */
  readonly ports = new Map<string, PortPlace>();
  /** Keys of the channels into which a cable with several lanes divides a port, by the port's end. */
  readonly channels = new Map<string, readonly string[]>();

  constructor(data: Dataset, options: NetboxOptions) {
    this.data = data;
    this.options = options;
    this.where = new LocationFinder(data, options);
  }

  /** Returns a text field within the limit of names. Cuts and notes a longer one. */
  short(table: TableName, row: NetboxRow, field: string): string | undefined {
    return this.shortened(readTextCell(row, field), table, row, field);
  }

  /** Returns a text within the limit of names. Cuts a longer one and notes it for a field of a row. */
  shortened(value: string, table: TableName, row: NetboxRow, field: string): string | undefined {
    return limitNameLength(value, () =>
      this.omissions.add(
        `The field ${field} is longer than 128 characters: its end is left out`,
        `${table}/${row.id}`,
        findDisplayName(row),
      ),
    );
  }

  tenant(table: TableName, row: NetboxRow): string | undefined {
    return this.shortened(readTextCell(this.data.named("tenant", row, "tenant"), "name"), table, row, "tenant");
  }

  /** Returns labels, tags and comments of an object, with its origin. */
  remarks(
    table: TableName,
    row: NetboxRow,
    labels: readonly (readonly [string, string])[] = [],
    comments: readonly string[] = [],
  ): DescribedResource {
    const id = `${table}/${row.id}`;
    return describeResource(
      {
        id,
        name: findDisplayName(row),
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
  word<Word extends string>(
    words: readonly Word[],
    table: TableName,
    row: NetboxRow,
    field: string,
    given = readTextCell(row, field),
  ): Word | undefined {
    const found = convertToEnumWord(words, given);
    if (found === undefined && given !== "")
      this.omit(`A word for ${field} that is none of ours is left out`, table, row, given);
    return found;
  }

  omit(reason: string, table: TableName, row: NetboxRow, detail?: string): void {
    this.omissions.add(reason, `${table}/${row.id}`, findDisplayName(row), detail);
  }
}

/** Returns an object's name, else its label, circuit id or row id. */
export function findDisplayName(row: NetboxRow): string {
  return readTextCell(row, "name") || readTextCell(row, "label") || readTextCell(row, "cid") || row.id;
}

const STATUSES: Readonly<Record<string, DeviceStatus>> = {
  active: "ACTIVE",
  offline: "OFFLINE",
  planned: "PLANNED",
  staged: "STAGED",
  failed: "FAILED",
  inventory: "INVENTORY",
  decommissioning: "DECOMMISSIONING",
};

export function convertToDeviceStatus(word: string): DeviceStatus | undefined {
  return STATUSES[word];
}

const KG: Readonly<Record<string, number>> = { kg: 1, g: 0.001, lb: 0.45359237, oz: 0.028349523125 };
const MM: Readonly<Record<string, number>> = { mm: 1, in: 25.4 };

export function convertToKilograms(weight: number | undefined, unit: string): number | undefined {
  const factor = KG[unit];
  if (weight === undefined || factor === undefined || weight <= 0) return undefined;
  return Math.round(weight * factor * 1000) / 1000;
}

export function convertToMillimetres(length: number | undefined, unit: string): number | undefined {
  const factor = MM[unit];
  return length === undefined || factor === undefined || length <= 0 ? undefined : Math.round(length * factor);
}
