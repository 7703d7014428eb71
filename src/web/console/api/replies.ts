/** The parts of the service's answers that the pages show, as `proto/datacenter/v1` describes them. */

export type Health = "HEALTH_OK" | "HEALTH_WATCH" | "HEALTH_FAULT" | "HEALTH_UNSPECIFIED";

export interface Picture {
  readonly media_type: string;
  readonly text?: string;
  readonly binary?: string;
  readonly truncated: boolean;
  readonly omitted_nodes: number;
}

export interface Location {
  readonly site_id: string;
  readonly floor_number: number;
  readonly room: string;
  readonly row: string;
  readonly zone_id: string;
}

export interface HealthReason {
  readonly code: string;
  readonly value: number;
  readonly limit: number;
  readonly ref: string;
  readonly health: Health;
}

export interface PortEnd {
  readonly device_code: string;
  readonly port_name: string;
}

export interface Finding {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly value: string;
  readonly expected: string;
  readonly ref: string;
}

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

export interface FloorPlan {
  readonly floor_ref: string;
  readonly racks: readonly RackTile[];
  readonly cracs: readonly { readonly code: string; readonly status: string; readonly utilization_pct: number }[];
  readonly counts?: { readonly ok: number; readonly watch: number; readonly fault: number };
  readonly unplaced: readonly string[];
  /** The racks among them. */
  readonly unplaced_racks: readonly RackTile[];
  readonly render?: Picture;
}

export interface RackTile {
  readonly code: string;
  readonly name: string;
  readonly health: Health;
  readonly reasons: readonly HealthReason[];
  readonly space_pct: number;
  readonly power_pct?: number;
  readonly heat_w: number;
  readonly inlet_temp_c?: number;
  readonly row: string;
  readonly placement?: {
    readonly x_mm: number;
    readonly y_mm: number;
    readonly width_mm: number;
    readonly depth_mm: number;
    readonly rotation_deg: number;
  };
}

export interface RackAnswer {
  readonly rack: {
    readonly code: string;
    readonly name: string;
    readonly location?: Location;
    readonly role: string;
    readonly status: string;
    readonly u_height?: number;
    readonly health: Health;
    readonly health_reasons: readonly HealthReason[];
    readonly required_redundancy: string;
    readonly tenant: string;
    readonly comments: string;
  };
  readonly occupants: readonly Occupant[];
  /** Top first, by the codes of the devices on each face. */
  readonly units: readonly {
    readonly u: number;
    readonly front: readonly string[];
    readonly rear: readonly string[];
    readonly reserved: string;
  }[];
  readonly capacity?: Capacity;
  readonly conflicts: readonly {
    readonly device_code: string;
    readonly other_code: string;
    readonly position_u: number;
    readonly code: string;
  }[];
  readonly render?: Picture;
}

export interface Occupant {
  readonly device_code: string;
  readonly name: string;
  readonly role: string;
  readonly kind: string;
  readonly position_u?: number;
  readonly u_height: number;
  readonly face: string;
  readonly slot: string;
  readonly status: string;
  readonly draw_w: number;
  readonly color: string;
}

export interface Capacity {
  readonly total_u: number;
  readonly used_u: number;
  readonly reserved_u: number;
  readonly free_u: number;
  readonly largest_free_block_u: number;
  readonly space_pct: number;
  readonly allocated_w: number;
  readonly failover_w_by_path: readonly {
    readonly power_path: string;
    readonly normal_w: number;
    readonly failover_w: number;
  }[];
  readonly power_capacity_w?: number;
  readonly power_pct?: number;
  readonly weight_kg: number;
  readonly devices: number;
  readonly devices_without_weight: number;
  readonly max_load_kg?: number;
  readonly heat_w: number;
  readonly air_heat_w: number;
  readonly cooling_capacity_w?: number;
}

export interface Device {
  readonly code: string;
  readonly name: string;
  readonly kind: string;
  readonly role: string;
  readonly status: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly serial: string;
  readonly asset_tag: string;
  readonly location?: Location;
  readonly rack_code: string;
  readonly position_u?: number;
  readonly u_height?: number;
  readonly parent_device_code: string;
  readonly max_draw_w?: number;
  readonly allocated_draw_w?: number;
  readonly measured_draw_w?: number;
  readonly heat_w?: number;
  readonly cooling_method: string;
  readonly weight_kg?: number;
  readonly ports: readonly Port[];
  readonly tenant: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly comments: string;
  readonly update_time: string;
}

export interface Port {
  readonly name: string;
  readonly kind: string;
  readonly type: string;
  readonly speed_mbps?: number;
  readonly power_in?: { readonly source_ref: string };
  readonly power_out?: { readonly feed_id: string; readonly state: string };
}

export interface DeviceAnswer {
  readonly device: Device;
  readonly power_chain: readonly {
    readonly inlet: string;
    readonly path: readonly string[];
    readonly path_label: string;
    readonly live: boolean;
  }[];
  readonly power_single_points: readonly string[];
  readonly cables: readonly Cable[];
  readonly power_load_w: number;
  readonly power_failover_w: number;
  readonly power_failover_ref: string;
  readonly power_pct?: number;
  readonly power_failover_pct?: number;
  readonly power_reasons: readonly HealthReason[];
  readonly supply_state: string;
  readonly undocumented_inlets: readonly string[];
  readonly recent: readonly AuditEntry[];
}

export interface Cable {
  readonly a: PortEnd;
  readonly b: PortEnd;
  readonly type: string;
  readonly status: string;
  readonly length_m?: number;
  readonly label: string;
}

export interface SearchAnswer {
  readonly devices: readonly Device[];
  readonly next_page_token: string;
  readonly total_count: number;
  readonly role_counts: Readonly<Record<string, number>>;
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
}

export interface HistoryAnswer {
  readonly entries: readonly AuditEntry[];
  readonly next_page_token: string;
}

export interface BulkAnswer {
  readonly results: readonly {
    readonly index: number;
    readonly code: string;
    readonly outcome: string;
    readonly error?: {
      readonly message: string;
      readonly details?: readonly {
        readonly field_violations?: readonly { readonly field: string; readonly description: string }[];
      }[];
    };
    readonly warnings: readonly Finding[];
  }[];
  readonly succeeded: number;
  readonly failed: number;
  readonly committed: boolean;
}

export interface UpsertAnswer {
  readonly outcome: string;
  readonly warnings: readonly Finding[];
}
