import { type DescMessage, fromJson, type JsonValue, type MessageShape, toJson } from "@bufbuild/protobuf";
import type { Estate } from "#dc/model/estate.ts";
import { bulkUpsertCracs } from "#dc/operations/bulk_upsert_cracs.ts";
import { bulkUpsertDevices } from "#dc/operations/bulk_upsert_devices.ts";
import { bulkUpsertRacks } from "#dc/operations/bulk_upsert_racks.ts";
import { toMessage } from "#dc/operations/convert.ts";
import type { WriteRpc } from "#dc/operations/rpc.ts";
import { upsertCable } from "#dc/operations/upsert_cable.ts";
import { upsertFabricLink } from "#dc/operations/upsert_fabric_link.ts";
import {
  CableSchema,
  CracSchema,
  DeviceSchema,
  FabricLinkSchema,
  RackSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";

/** One kind of line: `{"rack": {…}}`, its resource in proto JSON. */
export interface LineKind {
  readonly key: string;
  readonly schema: DescMessage;
  /** Takes many at once, or one as the field of the key. */
  readonly rpc: WriteRpc;
  readonly bulk: boolean;
  readonly of: (estate: Estate) => readonly object[];
}

/** Every kind, in the order in which they stand on each other. */
export const LINE_KINDS: readonly LineKind[] = [
  { key: "rack", schema: RackSchema, rpc: bulkUpsertRacks, bulk: true, of: ({ racks }) => racks },
  { key: "device", schema: DeviceSchema, rpc: bulkUpsertDevices, bulk: true, of: ({ devices }) => devices },
  { key: "crac", schema: CracSchema, rpc: bulkUpsertCracs, bulk: true, of: ({ cracs }) => cracs },
  { key: "cable", schema: CableSchema, rpc: upsertCable, bulk: false, of: ({ cables }) => cables },
  {
    key: "fabric_link",
    schema: FabricLinkSchema,
    rpc: upsertFabricLink,
    bulk: false,
    of: ({ fabricLinks }) => fabricLinks,
  },
];

/** One resource of a file, with the number of its line from 1. */
export interface ReadLine {
  readonly number: number;
  readonly kind: LineKind;
  readonly resource: MessageShape<DescMessage>;
}

export interface BadLine {
  readonly number: number;
  readonly message: string;
}

/** Reads the lines of a file; empty ones are skipped, wrong ones are told. */
export function readLines(text: string): { readonly lines: readonly ReadLine[]; readonly bad: readonly BadLine[] } {
  const lines: ReadLine[] = [];
  const bad: BadLine[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const number = index + 1;
    try {
      lines.push({ number, ...readLine(line) });
    } catch (error) {
      bad.push({ number, message: error instanceof Error ? error.message : String(error) });
    }
  }
  return { lines, bad };
}

function readLine(line: string): Omit<ReadLine, "number"> {
  const value: unknown = JSON.parse(line);
  const [key, ...more] = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const kind = LINE_KINDS.find((one) => one.key === key);
  if (kind === undefined || more.length > 0) {
    throw new Error(`expected one of ${LINE_KINDS.map((one) => `{"${one.key}": …}`).join(", ")}`);
  }
  return { kind, resource: fromJson(kind.schema, (value as Record<string, JsonValue>)[kind.key] ?? null) };
}

/** The estate as lines, in the order of kinds and keys. */
export function* estateLines(estate: Estate): Generator<string> {
  for (const { key, schema, of } of LINE_KINDS) {
    for (const resource of of(estate)) {
      const json = toJson(schema, toMessage(schema, resource), { useProtoFieldName: true });
      yield `${JSON.stringify({ [key]: json })}\n`;
    }
  }
}
