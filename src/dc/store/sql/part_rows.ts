import type { ChangeRecord } from "#dc/model/change_record.ts";
import { codeKey } from "#dc/model/code.ts";
import { toRefKey } from "#dc/model/resource_key.ts";
import type { Cable, Crac, Device, FabricLink, Port, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { formatCanonicalJson } from "#kernel/canonical_json.ts";
import type { RowTable } from "./row_buffer.ts";
import type { SqlValue } from "./sql_runner.ts";

/** A row derived from a resource: its table, and its values in the order of the table's columns. */
export type DerivedRow = readonly [table: RowTable, row: readonly SqlValue[]];

/** Functions that create the derived rows of a resource, by kind. */
export const DERIVED_ROWS: {
  readonly [Kind in ResourceKind]: (key: string, resource: ResourceByKind[Kind]) => readonly DerivedRow[];
} = {
  rack: () => [],
  device: (key, { ports = [], tags = [], labels = {} }: Device) => [
    ...ports.map((port, place) => ["port", createPortRow(key, port, place)] as const),
    ...Array.from(new Set(tags), (tag) => ["device_tag", [key, tag]] as const),
    ...Object.entries(labels).map(([name, value]) => ["device_label", [key, name, value]] as const),
  ],
  crac: (key, { powerInputs = [] }: Crac) =>
    powerInputs.flatMap(({ sourceRef }, place) =>
      sourceRef === undefined ? [] : [["crac_input", [key, place, toRefKey(sourceRef)]] as const],
    ),
  cable: (key, { a, b }: Cable) =>
    [a, b].map(({ deviceCode, portName }) => ["cable_end", [codeKey(deviceCode), portName, key]] as const),
  fabric_link: (key, { a, b }: FabricLink) =>
    Array.from(
      new Set([codeKey(a.deviceCode), codeKey(b.deviceCode)]),
      (device) => ["fabric_link_end", [device, key]] as const,
    ),
};

/** Statements that delete the derived rows of a resource by its key, before they are written again. */
export const DELETE_DERIVED_ROWS: Readonly<Record<ResourceKind, readonly string[]>> = {
  rack: [],
  device: ["port", "device_tag", "device_label"].map((table) => `DELETE FROM ${table} WHERE device_key = ?`),
  crac: ["DELETE FROM crac_input WHERE crac_key = ?"],
  cable: ["DELETE FROM cable_end WHERE cable_key = ?"],
  fabric_link: ["DELETE FROM fabric_link_end WHERE link_key = ?"],
};

function createPortRow(deviceKey: string, port: Port, place: number): readonly SqlValue[] {
  const { feedId } = port.powerOut ?? {};
  const { sourceRef } = port.powerIn ?? {};
  return [
    deviceKey,
    port.name,
    place,
    port.kind,
    port.type ?? "",
    port.markConnected === true ? 1 : 0,
    feedId === undefined ? null : codeKey(feedId),
    sourceRef === undefined ? null : toRefKey(sourceRef),
    formatCanonicalJson(port),
  ];
}

/** Yields the row of a change log entry, then one row for each reference by which the entry can be found. */
export function* createLogEntryRows(record: ChangeRecord): Generator<DerivedRow> {
  const { seq, occurredAt, actor, action, request, entity, related, hash } = record;
  yield [
    "change_log",
    [seq, occurredAt, actor.principal, action, request.id, request.interface, formatCanonicalJson(record), hash],
  ];
  for (const ref of new Set([entity, ...related].map(toRefKey))) yield ["change_ref", [ref, seq]];
}
