/** How a field of a NetBox object is read. */
export type FieldKind =
  | "text"
  | "number"
  | "flag"
  | "ref"
  | "refs"
  | "choice"
  | "tags"
  | "map"
  | "numbers"
  | "ends"
  | "lanes";

/** One kind of NetBox object: where it is found in each form, and the fields that the mapping reads. */
export interface Table {
  /** Path of the REST list below `/api/`. */
  readonly path: string;
  /** Whether the REST list can be limited to sites, and by which parameter. */
  readonly siteParameter?: string;
  /** Field name here, with the names it had in other versions behind a bar, and how it is read. */
  readonly fields: Readonly<Record<string, FieldKind>>;
}

/** What lists take to be limited to a site. */
export const SITE = { siteParameter: "site" } as const;
