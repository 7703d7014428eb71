import type { DeviceStatus } from "#dc/model/enum_values.ts";
import { type Described, describeResource, shortText } from "../described.ts";
import { Omissions, type SourceItem } from "../item.ts";
import { oneOf } from "../values.ts";
import { type Dataset, map, text, texts } from "./dataset.ts";
import type { Row } from "./read_row.ts";
import type { TableName } from "./tables.ts";
import { type NetboxOptions, Whereabouts } from "./where.ts";

/** A port as cables name it: where an end of NetBox is found in the inventory. */
export interface PortPlace {
  readonly deviceCode: string;
  readonly portName: string;
  readonly kind: "NETWORK" | "CONSOLE" | "CONSOLE_SERVER" | "FRONT" | "REAR" | "POWER_IN" | "POWER_OUT";
}

export class Mapping {
  readonly data: Dataset;
  readonly options: NetboxOptions;
  readonly where: Whereabouts;
  readonly omissions = new Omissions();
  readonly items: SourceItem[] = [];
  /** Codes of racks and devices by the ids of their rows. */
  racks: ReadonlyMap<string, string> = new Map();
  devices: ReadonlyMap<string, string> = new Map();
  /** Where the ends of cables are, by `interface/12`. */
  readonly ports = new Map<string, PortPlace>();
  /** Ports that a cable with several lanes divides into channels: lanes by end, and the channels' names. */
  readonly channels = new Map<string, readonly string[]>();

  constructor(data: Dataset, options: NetboxOptions) {
    this.data = data;
    this.options = options;
    this.where = new Whereabouts(data, options);
  }

  /** A short text field; a longer one is cut and noted. */
  short(table: TableName, row: Row, field: string): string | undefined {
    return this.shortened(text(row, field), table, row, field);
  }

  /** A short text of another row, such as a tenant's name. */
  shortened(value: string, table: TableName, row: Row, field: string): string | undefined {
    return shortText(value, () =>
      this.omissions.add(
        `The field ${field} is longer than 128 characters: its end is left out`,
        `${table}/${row.id}`,
        nameOf(row),
      ),
    );
  }

  tenant(table: TableName, row: Row): string | undefined {
    return this.shortened(text(this.data.named("tenant", row, "tenant"), "name"), table, row, "tenant");
  }

  /** Labels, tags and comments of an object, with its origin. */
  remarks(
    table: TableName,
    row: Row,
    labels: readonly (readonly [string, string])[] = [],
    comments: readonly string[] = [],
  ): Described {
    const id = `${table}/${row.id}`;
    return describeResource(
      {
        id,
        name: nameOf(row),
        origin: `${this.options.origin}:${id}`,
        url: row.url,
        labels: [...labels, ...Object.entries(map(row, "custom")).map(([key, value]) => [`cf.${key}`, value] as const)],
        tags: texts(row, "tags"),
        comments: [text(row, "description"), text(row, "comments"), ...comments],
      },
      this.omissions,
    );
  }

  /** A word of an enumeration; one that the enumeration lacks is noted. */
  word<Word extends string>(
    words: readonly Word[],
    table: TableName,
    row: Row,
    field: string,
    given = text(row, field),
  ): Word | undefined {
    const found = oneOf(words, given);
    if (found === undefined && given !== "")
      this.omit(`A word for ${field} that is none of ours is left out`, table, row, given);
    return found;
  }

  omit(reason: string, table: TableName, row: Row, detail?: string): void {
    this.omissions.add(reason, `${table}/${row.id}`, nameOf(row), detail);
  }
}

/** What people call an object. */
export function nameOf(row: Row): string {
  return text(row, "name") || text(row, "label") || text(row, "cid") || row.id;
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

export function deviceStatus(word: string): DeviceStatus | undefined {
  return STATUSES[word];
}

const KG: Readonly<Record<string, number>> = { kg: 1, g: 0.001, lb: 0.45359237, oz: 0.028349523125 };
const MM: Readonly<Record<string, number>> = { mm: 1, in: 25.4 };

export function kilograms(weight: number | undefined, unit: string): number | undefined {
  const factor = KG[unit];
  if (weight === undefined || factor === undefined || weight <= 0) return undefined;
  return Math.round(weight * factor * 1000) / 1000;
}

export function millimetres(length: number | undefined, unit: string): number | undefined {
  const factor = MM[unit];
  return length === undefined || factor === undefined || length <= 0 ? undefined : Math.round(length * factor);
}
