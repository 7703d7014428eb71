import { type FieldKind, isPortTable, type TableSchema } from "./component_tables.ts";
import type { NetboxMapping } from "./mapping.ts";
import { NETBOX_TABLES, TABLE_NAMES, type TableName } from "./tables.ts";
import { findTargetTable } from "./targets.ts";

/** References that are not reported here, because other mapping steps report them or other rows repeat them. */
const REPORTED_ELSEWHERE = [
  "rack.site",
  "powerpanel.site",
  "powerfeed.panel",
  "frontport.rear_port",
  "interface.lag",
  "interface.mac",
];

/** Notes values of a form that no version of NetBox writes. */
export function noteMisreadValues(mapping: NetboxMapping): void {
  for (const table of TABLE_NAMES) {
    for (const row of mapping.data.rows(table).values()) {
      for (const field of row.misread ?? [])
        mapping.noteOmission(`A value of ${field} that cannot be read`, table, row);
    }
  }
}

/** Notes references to objects that are missing in the source. */
export function noteDanglingReferences(mapping: NetboxMapping): void {
  for (const table of TABLE_NAMES)
    for (const reference of listTableReferences(table)) noteMissingTargets(mapping, table, reference);
}

interface TableReference {
  readonly field: string;
  readonly target: TableName;
  /** Whether a field names the owner of a component, without which the component cannot exist. */
  readonly isOwner: boolean;
}

function noteMissingTargets(
  mapping: NetboxMapping,
  table: TableName,
  { field, target, isOwner }: TableReference,
): void {
  const reason = isOwner ? "A port of a device that is not there" : `It names a ${field} that is not there`;
  const there = mapping.data.rows(target);
  for (const row of mapping.data.rows(table).values()) {
    const id = row.cells[field];
    const isNamed = typeof id === "string";
    if (isNamed ? !there.has(id) : isOwner) mapping.noteOmission(reason, table, row, isNamed ? id : undefined);
  }
}

function listTableReferences(table: TableName): readonly TableReference[] {
  const { fields }: TableSchema = NETBOX_TABLES[table];
  return Object.entries<FieldKind>(fields).flatMap(([spelled, kind]) => {
    const field = spelled.split("|")[0] ?? "";
    const target = findTargetTable(table, field);
    if (kind !== "ref" || target === undefined || REPORTED_ELSEWHERE.includes(`${table}.${field}`)) return [];
    return [{ field, target, isOwner: field === "device" && isPortTable(table) }];
  });
}
