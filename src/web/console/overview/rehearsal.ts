import { refName } from "#words/names.ts";
import { type Asked, useCall } from "../api/use_call.ts";
import { linkTo } from "../router.ts";
import type { State } from "../ui/state_of_share.ts";

interface Impact {
  readonly racks_dark: number;
  readonly it_devices_offline: number;
  readonly it_load_lost_w: number;
  readonly cooling_lost_kw: number;
}

interface FailedElement {
  readonly refs: readonly string[];
  readonly impact?: Impact;
  readonly tripped_refs: readonly string[];
}

/** A cause of loss as RehearseFailures answers it, as far as the first screen shows it. */
export interface Cause {
  readonly severity: string;
  readonly reason: string;
  readonly summary: string;
  readonly kind: string;
  readonly element_count: number;
  /** Of all elements together. */
  readonly impact?: Impact;
  readonly elements: readonly FailedElement[];
  readonly also_by: readonly string[];
  readonly omitted_also_by: number;
  readonly racks_dark: readonly string[];
  readonly racks_partial: readonly string[];
  readonly zones: readonly Zone[];
  readonly trips: readonly { readonly ref: string; readonly load_w: number; readonly capacity_w: number }[];
}

export interface Zone {
  readonly ref: string;
  readonly medium: string;
  readonly short: boolean;
  readonly heat_kw: number;
  readonly capacity_kw: number;
}

export interface Rehearsal {
  readonly causes: readonly Cause[];
  readonly total_count: number;
  readonly elements_failed: number;
}

/** Racks listed for each cause: enough to mark them on the plans of large floors. */
const LISTED = 1000;
const CAUSES = 8;

/** Loads the effects of every single failure, the worst first. */
export function useRehearsal(): Asked<Rehearsal> {
  return useCall<Rehearsal>("datacenter.v1.PlanningService/RehearseFailures", {
    cascade: true,
    page_size: CAUSES,
    max_elements: LISTED,
  });
}

const STATES: Readonly<Record<string, State>> = {
  FAILURE_SEVERITY_CRITICAL: "fault",
  FAILURE_SEVERITY_HIGH: "fault",
  FAILURE_SEVERITY_MEDIUM: "watch",
  FAILURE_SEVERITY_LOW: "watch",
  FAILURE_SEVERITY_INFO: "info",
};

export function stateOfCause({ severity }: Cause): State {
  return STATES[severity] ?? "unknown";
}

/** Returns a link to the picture of a cause's worst element: its power cascade, its thermal zone or its fabric. */
export function pictureOf({ kind, elements, zones }: Cause): string {
  const ref = elements[0]?.refs[0] ?? "";
  const code = refName(ref);
  const [zone] = zones;
  if (kind === "FAILURE_KIND_COOLING" && zone !== undefined) return linkTo("thermal", zone.ref, { failed: code });
  if (kind === "FAILURE_KIND_SWITCH") return linkTo("fabric", "", { failed: code });
  return linkTo("power", ref);
}

/** What the worst failure of a cause does alone. The impact of a cause is that of all its elements together. */
export function worstOf({ elements }: Cause): { readonly name: string; readonly impact: Impact | undefined } {
  const [worst] = elements;
  return { name: (worst?.refs ?? []).map(refName).join(" and "), impact: worst?.impact };
}

/** Racks that one failure turns dark, and those of which it takes several devices. */
export function racksAtRisk(causes: readonly Cause[]): { dark: ReadonlySet<string>; partial: ReadonlySet<string> } {
  const grave = causes.filter(
    ({ severity }) => severity !== "FAILURE_SEVERITY_LOW" && severity !== "FAILURE_SEVERITY_INFO",
  );
  return {
    dark: new Set(grave.flatMap(({ racks_dark }) => racks_dark)),
    partial: new Set(grave.flatMap(({ racks_partial }) => racks_partial)),
  };
}
