import type { BlastAnswer } from "./screens.ts";

type Impact = NonNullable<BlastAnswer["impact"]>;

/** What RehearseFailures answers, as far as the page shows it. */
export interface RehearsalAnswer {
  readonly revision: number;
  readonly causes: readonly Cause[];
  readonly next_page_token: string;
  readonly total_count: number;
  readonly elements_failed: number;
  readonly pairs_failed: number;
  readonly harmless: number;
  readonly critical_count: number;
  readonly high_count: number;
  readonly medium_count: number;
  readonly low_count: number;
  readonly info_count: number;
}

export interface Cause {
  readonly severity: string;
  readonly reason: string;
  readonly summary: string;
  readonly kind: string;
  readonly element_count: number;
  readonly elements: readonly FailedElement[];
  readonly omitted_elements: number;
  readonly also_by: readonly string[];
  readonly omitted_also_by: number;
  readonly partly_by: readonly string[];
  readonly omitted_partly_by: number;
  readonly nearer: readonly string[];
  readonly omitted_nearer: number;
  readonly impact?: Impact;
  readonly racks_dark: readonly string[];
  readonly racks_partial: readonly string[];
  readonly devices_lost: readonly string[];
  readonly cracs_lost: readonly string[];
  readonly single_fed_count: number;
  readonly trips: readonly {
    readonly ref: string;
    readonly load_before_w: number;
    readonly load_w: number;
    readonly capacity_w: number;
    readonly utilization_pct: number;
  }[];
  readonly overloads: BlastAnswer["overloads"];
  readonly zones: readonly {
    readonly ref: string;
    readonly medium: string;
    readonly short: boolean;
    readonly heat_kw: number;
    readonly capacity_kw: number;
  }[];
  readonly fabric_lost_mbps: number;
  readonly switches_cut_off: readonly string[];
  readonly switches_cut_off_count: number;
}

export interface FailedElement {
  readonly refs: readonly string[];
  readonly name: string;
  readonly severity: string;
  readonly impact?: Impact;
  readonly tripped_refs: readonly string[];
}
