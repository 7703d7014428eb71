import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";

/** A resource made from a source's object, with the identity that the object has there. */
export type SourceItem = {
  readonly [Kind in ResourceKind]: {
    readonly kind: Kind;
    /** Unique and stable within the source, as `device/12`; a cable with several lanes adds `#2`. */
    readonly id: string;
    readonly resource: ResourceByKind[Kind];
    /** Where the source says it, if it is a file of lines. */
    readonly place?: SourcePlace;
  };
}[ResourceKind];

export interface SourcePlace {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** Something that a source holds and the inventory cannot. */
export interface Omission {
  /** A short sentence, the same for every object that it concerns. */
  readonly reason: string;
  /** What it concerns, as `cable/12`; a table's name when whole tables are left out. */
  readonly id: string;
  /** What people call it there. */
  readonly name: string;
  /** How many objects, when `id` names a table. */
  readonly count?: number;
  /** The value concerned. */
  readonly detail?: string;
}

/** What a source's objects become. */
export interface Mapped {
  readonly items: readonly SourceItem[];
  readonly omissions: readonly Omission[];
  /** Kinds that the source speaks of, all without it: a spreadsheet of devices does not say that racks are gone. */
  readonly kinds?: readonly ResourceKind[];
}

const SHOWN_CHARS = 80;

/** Collects values that are not transferred. */
export class Omissions {
  readonly list: Omission[] = [];

  add(reason: string, id: string, name: string, detail?: string): void {
    this.list.push({
      reason,
      id,
      name: quoteText(name),
      ...(detail !== undefined && detail !== "" && { detail: quoteText(detail) }),
    });
  }

  addTable(reason: string, table: string, count: number): void {
    this.list.push({ reason, id: table, name: table, count });
  }
}

function quoteText(text: string): string {
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS - 1)}…`;
}

/** Drops fields without a value, and empty lists and maps, as stored resources have none. */
export function compact<Value extends object>(value: { readonly [Key in keyof Value]: Value[Key] | undefined }): Value {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => !isEmpty(one))) as Value;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}
