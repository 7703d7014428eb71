import { type FieldKind, isPortTable, type Table } from "./component_tables.ts";
import type { Mapping } from "./mapping.ts";
import { TABLE_NAMES, TABLES, type TableName } from "./tables.ts";
import { targetOf } from "./targets.ts";

/** References whose omission another step of the mapping reports, and one whose value rows repeat. */
const TOLD = [
  "rack.site",
  "powerpanel.site",
  "powerfeed.panel",
  "frontport.rear_port",
  "interface.lag",
  "interface.mac",
];

/** Notes values of a shape that no version of NetBox writes. */
export function noteMisread(mapping: Mapping): void {
  for (const table of TABLE_NAMES) {
    for (const row of mapping.data.rows(table).values()) {
      for (const field of row.misread ?? []) mapping.omit(`A value of ${field} that cannot be read`, table, row);
    }
  }
}

/** Notes references to objects that the source does not have. */
export function noteDangling(mapping: Mapping): void {
  for (const table of TABLE_NAMES) for (const reference of referencesOf(table)) noteMissing(mapping, table, reference);
}

interface Reference {
  readonly field: string;
  readonly target: TableName;
  /** Whether the field names the owner of a component, which no component can be without. */
  readonly isOwner: boolean;
}

function noteMissing(mapping: Mapping, table: TableName, { field, target, isOwner }: Reference): void {
  const reason = isOwner ? "A port of a device that is not there" : `It names a ${field} that is not there`;
  const there = mapping.data.rows(target);
  for (const row of mapping.data.rows(table).values()) {
    const id = row.cells[field];
    const isNamed = typeof id === "string";
    if (isNamed ? !there.has(id) : isOwner) mapping.omit(reason, table, row, isNamed ? id : undefined);
  }
}

function referencesOf(table: TableName): readonly Reference[] {
  const { fields }: Table = TABLES[table];
  return Object.entries<FieldKind>(fields).flatMap(([spelled, kind]) => {
    const field = spelled.split("|")[0] ?? "";
    const target = targetOf(table, field);
    if (kind !== "ref" || target === undefined || TOLD.includes(`${table}.${field}`)) return [];
    return [{ field, target, isOwner: field === "device" && isPortTable(table) }];
  });
}
