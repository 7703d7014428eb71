import type { DeviceKind } from "#dc/model/enum_values.ts";

/** What a person decides about the mapping of a NetBox; all of it may be left out. */
export interface NetboxOptions {
  /** Name of the source, first part of every origin: `netbox`, or a chosen name when there are several. */
  readonly origin: string;
  /** Kinds of devices by the slug of their role. */
  readonly roles: Readonly<Record<string, DeviceKind>>;
  /** Floor, room and row by `<site slug>/<location slug>`. */
  readonly locations: Readonly<
    Record<string, { readonly floor?: number; readonly room?: string; readonly row?: string }>
  >;
  /** Codes of objects that were imported before, by id such as `device/12`. */
  readonly known: ReadonlyMap<string, string>;
  /** Keys of codes that other resources hold, by kind. */
  readonly foreign: {
    readonly rack: ReadonlySet<string>;
    readonly device: ReadonlySet<string>;
    readonly crac: ReadonlySet<string>;
    readonly feed: ReadonlySet<string>;
  };
}
