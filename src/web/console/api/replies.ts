/** The replies of plain routes, which no proto describes. Those of RPCs are in `gen`. */

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
  readonly changed_fields: readonly string[];
  readonly message: string;
  readonly source: string;
  /** Absent in the answer of a device. */
  readonly transaction_id?: string;
}

export interface HistoryAnswer {
  readonly entries: readonly AuditEntry[];
  readonly next_page_token: string;
  readonly chain: { readonly head_seq: number };
}
