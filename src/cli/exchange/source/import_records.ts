import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { OperationError } from "#kernel/errors.ts";
import { SOURCE_KINDS, type SourceKind } from "#planner/exchange/source.ts";
import { parseSpecId, type SpecId } from "#planner/spec/spec_id.ts";
import { describeSystemError } from "#planner/store/files/disk_error.ts";
import { writeFile } from "../../output/write_file.ts";

/** Data about one task from the last import. */
export interface ImportRecord {
  readonly id: SpecId;
  /** Fingerprints of the source's texts; undefined if the spec is only planned. */
  readonly said?: Readonly<Record<string, string>> | undefined;
}

export type ImportRecords = Map<string, ImportRecord>;

const RECORDS_FILE_SCHEMA = Type.Object({
  format: Type.Literal("planner-import"),
  version: Type.Literal(1),
  kind: Type.Union(SOURCE_KINDS.map((kind) => Type.Literal(kind))),
  tasks: Type.Record(
    Type.String(),
    Type.Object({ id: Type.String(), said: Type.Optional(Type.Record(Type.String(), Type.String())) }),
  ),
});

/** Returns the path of the records from the project's root. */
export function getImportRecordsPath(origin: string): string {
  return `.planner/imports/${origin}.json`;
}

/** Reads the records of an origin's last import; empty without one. @throws OperationError for an unfit file */
export function readImportRecords(root: string, origin: string, kind: SourceKind): ImportRecords {
  const file = getImportRecordsPath(origin);
  if (!existsSync(join(root, file))) return new Map();
  const data = parseImportRecords(root, file);
  if (data.kind !== kind) {
    const message = `The origin "${origin}" is a source of ${data.kind}: name another one for ${kind} with --origin`;
    throw new OperationError("failed_precondition", message);
  }
  return new Map(
    Object.entries(data.tasks).flatMap(([key, { id, said }]) => {
      const known = parseSpecId(id);
      return known === undefined ? [] : [[key, { id: known, said }]];
    }),
  );
}

function parseImportRecords(root: string, file: string): Static<typeof RECORDS_FILE_SCHEMA> {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(join(root, file), "utf8"));
  } catch (error) {
    const why = error instanceof SyntaxError ? "expected JSON" : describeSystemError(error);
    throw new OperationError("failed_precondition", `Cannot read "${file}": ${why}`, { cause: error });
  }
  if (Value.Check(RECORDS_FILE_SCHEMA, data)) return data;
  throw new OperationError("failed_precondition", `Cannot read "${file}": expected what \`planner import\` writes`);
}

/** Writes the records, sorted and one task per line, so that git can merge two people's imports. */
export function writeImportRecords(root: string, origin: string, kind: SourceKind, records: ImportRecords): void {
  const keys = [...records.keys()].sort();
  const lines = keys.map((key) => `${JSON.stringify(key)}: ${JSON.stringify(records.get(key))}`);
  const head = `{ "format": "planner-import", "version": 1, "kind": ${JSON.stringify(kind)}, "tasks": {`;
  writeFile(join(root, getImportRecordsPath(origin)), `${head}\n${lines.join(",\n")}\n} }\n`);
}

export function computeTextFingerprint(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 12);
}
