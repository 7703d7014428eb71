import type { ResourceKind } from "#dc/model/resources.ts";
import { getJsonFields, tryParseJson } from "#kernel/json_object.ts";
import { KIND_NAMES } from "../kinds.ts";

/** One resource as a line of JSON Lines, with the number of its line, record or item in the file. */
export interface Line {
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
export interface BadLine extends Line {
  readonly reason: string;
  readonly field?: string;
  /** The resource, if the text of the line does not contain it. */
  readonly subject?: LineSubject;
}

/** Lines of an import, which are read kind by kind. */
export interface Source {
  readonly counts: ReadonlyMap<ResourceKind, number>;
  /** Reads the lines that have no kind. */
  bad(): AsyncIterable<BadLine> | Iterable<BadLine>;
  lines(kind: ResourceKind): AsyncIterable<Line | BadLine> | Iterable<Line | BadLine>;
  close(): void;
}

export function isBadLine(line: Line | BadLine): line is BadLine {
  return "reason" in line;
}

export function joinSources(sources: readonly Source[]): Source {
  const counts = new Map<ResourceKind, number>();
  for (const source of sources) {
    for (const [kind, count] of source.counts) counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  return {
    counts,
    async *bad() {
      for (const source of sources) yield* source.bad();
    },
    async *lines(kind) {
      for (const source of sources) yield* source.lines(kind);
    },
    close() {
      for (const source of sources) source.close();
    },
  };
}

/** Returns kind and code of a rejected line's resource, if they can be read. */
export function findSubject({ subject, text }: BadLine): LineSubject {
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
