import type { ResourceKind } from "#dc/model/resources.ts";
import { getJsonFields, tryParseJson } from "#kernel/json_object.ts";
import { KIND_NAMES } from "../kinds.ts";

/** One resource as a line of JSON Lines, with the number of its line, record or item in the file. */
export interface ResourceLine {
  /** Name of the file as given. */
  readonly file: string;
  readonly number: number;
  /** Text such as `{"rack": {…}}`. */
  readonly text: string;
}

/** Kind and code of the resource that a line describes, if they can be read. */
export interface LineSubject {
  readonly kind?: string;
  /** Code of the resource, or both ends of a cable or link. */
  readonly code?: string;
}

/** A line that cannot be read or is rejected, and the reason. */
export interface BadLine extends ResourceLine {
  readonly reason: string;
  readonly field?: string;
  /** The resource, if the text of the line does not contain it. */
  readonly subject?: LineSubject;
}

/** Lines of an import, which are read kind by kind. */
export interface ImportSource {
  readonly counts: ReadonlyMap<ResourceKind, number>;
  /** Reads the lines that have no kind. */
  readBadLines(): AsyncIterable<BadLine> | Iterable<BadLine>;
  readLines(kind: ResourceKind): AsyncIterable<ResourceLine | BadLine> | Iterable<ResourceLine | BadLine>;
  close(): void;
}

export function isBadLine(line: ResourceLine | BadLine): line is BadLine {
  return "reason" in line;
}

export function joinSources(sources: readonly ImportSource[]): ImportSource {
  const counts = new Map<ResourceKind, number>();
  for (const source of sources) {
    for (const [kind, count] of source.counts) counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  return {
    counts,
    async *readBadLines() {
      for (const source of sources) yield* source.readBadLines();
    },
    async *readLines(kind) {
      for (const source of sources) yield* source.readLines(kind);
    },
    close() {
      for (const source of sources) source.close();
    },
  };
}

/** Returns kind and code of a rejected line's resource, if they can be read. */
export function getLineSubject({ subject, text }: BadLine): LineSubject {
  if (subject !== undefined) return subject;
  const item = getJsonFields(tryParseJson(text));
  const kind = KIND_NAMES.find((name) => Object.hasOwn(item, name));
  if (kind === undefined) return {};
  const resource = getJsonFields(item[kind]);
  const ends = [resource["a"], resource["b"]].map(formatLinkEnd);
  const code = typeof resource["code"] === "string" ? resource["code"] : ends.includes("") ? "" : ends.join("~");
  return { kind, ...(code !== "" && { code }) };
}

function formatLinkEnd(end: unknown): string {
  const fields = getJsonFields(end);
  const device = fields["device_code"] ?? fields["deviceCode"];
  const port = fields["port_name"] ?? fields["portName"];
  return typeof device === "string" && typeof port === "string" ? `${device}/${port}` : "";
}
