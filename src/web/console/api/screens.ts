import type { Cable, Finding, Health, Picture, PortEnd } from "./replies.ts";

/** What the screens of power, cables, cooling and fabric answer, as far as the pages show it. */

export interface BlastAnswer {
  readonly source_ref: string;
  /** What fails and what depends on it; none for a place with neither devices nor cooling units. */
  readonly nodes: readonly { readonly ref: string }[];
  readonly impact?: {
    readonly racks_dark: number;
    readonly racks_partial: number;
    readonly racks_protected: number;
    readonly devices_offline: number;
    readonly it_devices_offline: number;
    readonly cracs_offline: number;
    readonly devices_degraded: number;
    readonly devices_undocumented: number;
    readonly it_load_lost_w: number;
    readonly cooling_lost_kw: number;
    readonly min_ride_through_s?: number;
  };
  readonly affected: readonly AffectedItem[];
  readonly protected: readonly AffectedItem[];
  readonly overloads: readonly {
    readonly ref: string;
    readonly load_before_w: number;
    readonly load_after_w: number;
    readonly capacity_w: number;
    readonly utilization_pct: number;
    readonly severity: string;
  }[];
  readonly cascade_steps: readonly {
    readonly step: number;
    readonly tripped_refs: readonly string[];
    readonly devices_offline: number;
    readonly trips: readonly { readonly ref: string; readonly load_w: number; readonly utilization_pct: number }[];
  }[];
  readonly cascade_cut: boolean;
  readonly truncated: boolean;
  readonly render?: Picture;
}

export interface AffectedItem {
  readonly kind: string;
  readonly code: string;
  readonly name: string;
  readonly state: string;
  readonly rack_code: string;
  readonly role: string;
  readonly draw_w: number;
  readonly lost_inlets: readonly string[];
  readonly remaining_inlets: readonly string[];
}

export interface TraceAnswer {
  readonly paths: readonly CablePath[];
  readonly render?: Picture;
}

export interface CablePath {
  readonly origin?: PortEnd;
  readonly destination?: PortEnd;
  readonly status: string;
  readonly active: boolean;
  readonly total_length_m: number;
  readonly length_is_partial: boolean;
  readonly hops: readonly {
    readonly device_code: string;
    readonly kind: string;
    readonly in_port: string;
    readonly out_port: string;
    readonly rack_code: string;
    readonly position_u?: number;
    readonly status: string;
  }[];
  readonly segments: readonly { readonly kind: string; readonly cable?: Cable }[];
  readonly branches: readonly { readonly from: PortEnd; readonly to: PortEnd; readonly position: number }[];
  readonly findings: readonly Finding[];
}

export interface ThermalAnswer {
  readonly heat_kw: number;
  readonly air_heat_kw: number;
  readonly infrastructure_heat_kw: number;
  readonly liquid_heat_kw: number;
  readonly liquid_effective_kw: number;
  readonly liquid_usable_kw: number;
  readonly liquid_headroom_kw: number;
  readonly effective_kw: number;
  readonly reserve_kw: number;
  readonly usable_kw: number;
  readonly headroom_kw: number;
  readonly headroom_pct: number;
  readonly redundancy_ok: boolean;
  readonly ccf: number;
  readonly rci_hi_pct?: number;
  readonly rci_lo_pct?: number;
  readonly cracs: readonly {
    readonly code: string;
    readonly status: string;
    readonly rated_kw: number;
    readonly effective_kw: number;
    readonly load_kw: number;
    readonly utilization_pct: number;
    readonly failed: boolean;
  }[];
  readonly zones: readonly {
    readonly ref: string;
    readonly heat_kw: number;
    readonly effective_kw: number;
    readonly usable_kw: number;
    readonly headroom_kw: number;
    readonly redundancy_ok: boolean;
    readonly crac_codes: readonly string[];
    readonly rack_codes: readonly string[];
  }[];
  readonly hotspots: readonly {
    readonly ref: string;
    readonly severity: Health;
    readonly code: string;
    readonly value: number;
    readonly limit: number;
  }[];
  readonly render?: Picture;
}

export interface FabricAnswer {
  readonly nodes: readonly {
    readonly code: string;
    readonly role: string;
    readonly rack_code: string;
    readonly oversubscription?: number;
    readonly oversubscription_n1?: number;
    readonly uplinks_up: number;
    readonly uplinks_total: number;
    readonly failed: boolean;
  }[];
  readonly links: readonly {
    readonly link: {
      readonly a: PortEnd;
      readonly b: PortEnd;
      readonly status: string;
      readonly capacity_mbps?: number;
      readonly utilization_pct: number;
    };
    readonly ref: string;
    readonly health: Health;
    readonly live: boolean;
  }[];
  readonly congested: readonly string[];
  readonly missing: readonly { readonly leaf_code: string; readonly spine_code: string }[];
  readonly findings: readonly Finding[];
  readonly summary?: {
    readonly links_up: number;
    readonly links_down: number;
    readonly congested: number;
    readonly max_util_pct: number;
    readonly p95_util_pct: number;
    readonly bisection_mbps: number;
  };
  readonly render?: Picture;
}
