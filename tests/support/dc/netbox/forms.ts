import { NetboxDataset } from "#dc/exchange/netbox/dataset.ts";
import { readRow } from "#dc/exchange/netbox/read_row.ts";
import { NETBOX_TABLES, type TableName } from "#dc/exchange/netbox/tables.ts";
import type { Listed, Lists } from "./lists.ts";

const BY_PATH = new Map<string, TableName>(
  Object.entries(NETBOX_TABLES).map(([name, { path }]) => [path, name as TableName]),
);

/** The lists as `dumpdata` writes them: ids instead of nested objects, and terminations of cables apart. */
export function asDump(lists: Lists): readonly object[] {
  const objects: object[] = [];
  let termination = 1;
  for (const [path, list] of lists) {
    const table = BY_PATH.get(path) ?? path;
    for (const { id, url: _, a_terminations: a, b_terminations: b, ...fields } of list) {
      objects.push({ model: `${path.split("/")[0]}.${table}`, pk: id, fields: flat(fields) });
      for (const [end, side] of [
        ["A", a],
        ["B", b],
      ] as const) {
        for (const one of (side ?? []) as readonly { object_type: string; object_id: number }[]) {
          objects.push({
            model: "dcim.cabletermination",
            pk: termination++,
            fields: {
              cable: id,
              cable_end: end,
              termination_type: one.object_type.split("."),
              termination_id: one.object_id,
            },
          });
        }
      }
    }
  }
  return objects;
}

function flat({ custom_fields: custom, ...fields }: Record<string, unknown>): Record<string, unknown> {
  const plain = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (typeof value !== "object" || value === null) return [name, value];
      if (Array.isArray(value)) return [name, value];
      const nested = value as { id?: number; value?: unknown; username?: string };
      return [name, nested.username === undefined ? (nested.id ?? nested.value) : [nested.username]];
    }),
  );
  return custom === undefined ? plain : { ...plain, custom_field_data: custom };
}

/** The rows that the lists hold. */
export function datasetOf(lists: Lists): NetboxDataset {
  const data = new NetboxDataset();
  for (const [path, list] of lists) {
    const table = BY_PATH.get(path);
    if (table === undefined) continue;
    for (const one of list) addTo(data, table, one);
  }
  return data;
}

function addTo(data: NetboxDataset, table: TableName, one: Listed): void {
  const row = readRow(table, one.id, one);
  if (row !== undefined) data.addRow(table, row);
}
