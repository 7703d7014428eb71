/** Reply of the inventory overview route. It is typed by hand, because no proto file describes plain routes. */
export interface InventoryOverview {
  readonly sites: readonly { readonly site_id: string; readonly floors: readonly FloorOverview[] }[];
  readonly fabrics: readonly { readonly fabric_id: string; readonly links: number }[];
  readonly totals: Readonly<Record<"racks" | "devices" | "cracs" | "ports" | "cables" | "fabric_links", number>>;
}

export interface FloorOverview {
  readonly floor_ref: string;
  readonly floor_number: number;
  readonly racks: number;
  readonly cracs: number;
  readonly devices: number;
}

export interface AuditEntry {
  readonly seq: number;
  readonly occurred_at: string;
  readonly actor: { readonly principal: string };
  readonly request: {
    readonly id: string;
    readonly interface: string;
    readonly method: string;
    readonly user_agent?: string;
  };
  readonly action: string;
  readonly entity: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly message: string;
  /** Absent in the history of a device. */
  readonly transaction_id?: string;
}

export interface HistoryReply {
  readonly entries: readonly AuditEntry[];
  readonly next_page_token: string;
  readonly chain: { readonly head_seq: number };
}

type CamelCaseName<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCaseName<Rest>>}`
  : Name;
type CamelCaseKeys<Value> = Value extends readonly (infer One)[]
  ? readonly CamelCaseKeys<One>[]
  : Value extends object
    ? { readonly [Key in keyof Value as CamelCaseName<Key & string>]: CamelCaseKeys<Value[Key]> }
    : Value;

/** Converts the field names of a message to camelCase: `free_u` becomes `freeU`. */
export function convertKeysToCamelCase<Value>(value: Value): CamelCaseKeys<Value> {
  const formatCamelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const made: unknown = Array.isArray(value)
    ? value.map(convertKeysToCamelCase)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value).map(([name, one]) => [formatCamelCase(name), convertKeysToCamelCase(one)]),
        )
      : value;
  return made as CamelCaseKeys<Value>;
}
