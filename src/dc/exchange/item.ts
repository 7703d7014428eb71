import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";

/** A resource made from a source's object, with the object's identity in that source. */
export type SourceItem = {
  readonly [Kind in ResourceKind]: {
    readonly kind: Kind;
    /** Unique and stable within the source, such as `device/12`; a cable with several lanes appends `#2`. */
    readonly id: string;
    readonly resource: ResourceByKind[Kind];
    /** Position of the object in the source, if that is a file of lines. */
    readonly place?: SourcePlace;
  };
}[ResourceKind];

export interface SourcePlace {
  readonly file: string;
  /** Line number, from 1. */
  readonly line: number;
}

/** Content of a source that the inventory cannot store. */
export interface Omission {
  /** A short sentence, the same for every affected object. */
  readonly reason: string;
  /** Id of the affected object, such as `cable/12`; a table's name if whole tables are omitted. */
  readonly id: string;
  /** Name of the object in the source. */
  readonly name: string;
  /** Number of objects, if `id` names a table. */
  readonly count?: number;
  /** The affected value of the object. */
  readonly detail?: string;
}

/** The items and omissions made from a source's objects. */
export interface MappedSource {
  readonly items: readonly SourceItem[];
  readonly omissions: readonly Omission[];
  /** Kinds that the source contains; all if absent. A spreadsheet of devices does not mean that racks were removed. */
  readonly kinds?: readonly ResourceKind[];
}

const MAX_QUOTED_CHARS = 80;

/** Collects omissions during a mapping. */
export class OmissionLog {
  readonly omissions: Omission[] = [];

  addObject(reason: string, id: string, name: string, detail?: string): void {
    this.omissions.push({
      reason,
      id,
      name: shortenText(name),
      ...(detail !== undefined && detail !== "" && { detail: shortenText(detail) }),
    });
  }

  addTable(reason: string, table: string, count: number): void {
    this.omissions.push({ reason, id: table, name: table, count });
  }
}

function shortenText(text: string): string {
  return text.length <= MAX_QUOTED_CHARS ? text : `${text.slice(0, MAX_QUOTED_CHARS - 1)}…`;
}

/** Removes fields that are undefined, null, empty or false by default, because stored resources omit them. */
export function removeEmptyFields<Value extends object>(
  value: { readonly [Key in keyof Value]: Value[Key] | undefined },
): Value {
  return Object.fromEntries(Object.entries(value).filter((field) => !isEmptyField(...field))) as Value;
}

function isEmptyField(name: string, value: unknown): boolean {
  // A port is enabled by default.
  if (value === false) return name !== "enabled";
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}
