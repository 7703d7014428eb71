/** A figure before and after; absent where it is unknown, or where the thing does not exist. */
export interface FigureChange {
  readonly before?: number;
  readonly after?: number;
}

interface Judged {
  readonly health_before: string;
  readonly health_after: string;
}

export interface SupplyPreview extends Judged {
  readonly ref: string;
  readonly load_w?: FigureChange;
  readonly capacity_w?: FigureChange;
  readonly load_pct?: FigureChange;
  readonly failover_w?: FigureChange;
  readonly failover_pct?: FigureChange;
}

export interface RackPreview extends Judged {
  readonly rack_code: string;
  readonly draw_w?: FigureChange;
  readonly power_capacity_w?: FigureChange;
  readonly free_u?: FigureChange;
  readonly weight_kg?: FigureChange;
  readonly max_load_kg?: FigureChange;
}

export interface CoolingPreview extends Judged {
  readonly ref: string;
  readonly medium: string;
  readonly heat_kw?: FigureChange;
  readonly usable_kw?: FigureChange;
  readonly headroom_kw?: FigureChange;
}

export interface DevicePreview {
  readonly ref: string;
  readonly effect: string;
  readonly state_after: string;
  readonly is_supply: boolean;
}

export interface FindingPreview {
  readonly code: string;
  readonly ref: string;
  readonly health: string;
  readonly value?: number;
  readonly limit?: number;
  readonly racks: number;
}

/** What PreviewChanges answers, as far as dialogs show it. */
export interface PreviewAnswer {
  readonly results: readonly { readonly outcome: string }[];
  readonly refused: number;
  readonly supplies: readonly SupplyPreview[];
  readonly omitted_supplies: number;
  readonly racks: readonly RackPreview[];
  readonly omitted_racks: number;
  readonly cooling: readonly CoolingPreview[];
  readonly omitted_cooling: number;
  readonly devices: readonly DevicePreview[];
  readonly lost_count: number;
  readonly reduced_count: number;
  readonly gained_count: number;
  readonly increased_count: number;
  readonly new_findings: readonly FindingPreview[];
  readonly omitted_new_findings: number;
  readonly resolved_findings: readonly FindingPreview[];
  readonly omitted_resolved_findings: number;
}
