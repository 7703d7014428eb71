import type { ResourceKind } from "#dc/model/resources.ts";
import { getJsonFields } from "#kernel/json_object.ts";
import { KIND_NAMES } from "../kinds.ts";

/** One resource as a line of JSON Lines, with the number of the line, record or item that it comes from. */
export interface Line {
  /** The file, as it was named. */
  readonly file: string;
  readonly number: number;
  /** `{"rack": {…}}`. */
  readonly text: string;
}

/** The resource that a line refers to, as far as it can be read. */
export interface Subject {
  readonly kind?: string;
  /** The code of a resource; the two ends of a cable or link. */
  readonly code?: string;
}

/** Something that is no resource, and why. */
export interface BadLine extends Line {
  readonly reason: string;
  readonly field?: string;
  /** Subject of the line, if its text does not contain a resource. */
  readonly subject?: Subject;
}

/** What an import reads: kind by kind, from a file that is read once for each, so that memory does not grow with it. */
export interface Source {
  readonly counts: ReadonlyMap<ResourceKind, number>;
  /** What belongs to no kind. */
  bad(): AsyncIterable<BadLine> | Iterable<BadLine>;
  lines(kind: ResourceKind): AsyncIterable<Line | BadLine> | Iterable<Line | BadLine>;
  close(): void;
}

export function isBad(line: Line | BadLine): line is BadLine {
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

/** Names the resource of a line that was refused. */
export function subjectOf({ subject, text }: BadLine): Subject {
  if (subject !== undefined) return subject;
  const item = parsed(text);
  const kind = KIND_NAMES.find((name) => Object.hasOwn(item, name));
  if (kind === undefined) return {};
  const resource = getJsonFields(item[kind]);
  const ends = [resource["a"], resource["b"]].map(endText);
  const code = typeof resource["code"] === "string" ? resource["code"] : ends.includes("") ? "" : ends.join("~");
  return { kind, ...(code !== "" && { code }) };
}

function endText(end: unknown): string {
  const fields = getJsonFields(end);
  const device = fields["device_code"] ?? fields["deviceCode"];
  const port = fields["port_name"] ?? fields["portName"];
  return typeof device === "string" && typeof port === "string" ? `${device}/${port}` : "";
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return getJsonFields(JSON.parse(text));
  } catch {
    return {};
  }
}
