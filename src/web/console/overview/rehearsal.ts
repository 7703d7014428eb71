import type { FailureCause, Impact, RehearseFailuresResponse } from "#gen/datacenter/v1/json.ts";
import { getRefName } from "#words/names.ts";
import type { State } from "../../shared/state_of_share.ts";
import { type CallState, useCall } from "../api/use_call.ts";
import { formatQuantity } from "../labels.ts";
import { formatPageUrl } from "../router.ts";

/** Maximum number of causes on the first screen. */
const MAX_CAUSES = 6;

/** Loads the effects of every single failure, the worst first. */
export function useFailureRehearsal(): CallState<RehearseFailuresResponse> {
  return useCall("datacenter.v1.PlanningService/RehearseFailures", {
    cascade: true,
    page_size: MAX_CAUSES,
  });
}

const STATES_BY_SEVERITY: Readonly<Record<string, State>> = {
  FAILURE_SEVERITY_CRITICAL: "fault",
  FAILURE_SEVERITY_HIGH: "fault",
  FAILURE_SEVERITY_MEDIUM: "watch",
  FAILURE_SEVERITY_LOW: "watch",
  FAILURE_SEVERITY_INFO: "info",
};

export function getCauseState({ severity }: FailureCause): State {
  return STATES_BY_SEVERITY[severity] ?? "unknown";
}

/** Returns the URL of a cause's worst element: its power cascade, its thermal zone or its fabric. */
export function formatCauseUrl({ kind, elements, zones }: FailureCause): string {
  const ref = elements[0]?.refs[0] ?? "";
  const code = getRefName(ref);
  const [zone] = zones;
  if (kind === "FAILURE_KIND_COOLING" && zone !== undefined)
    return formatPageUrl("thermal", zone.ref, { failed: code });
  if (kind === "FAILURE_KIND_SWITCH") return formatPageUrl("fabric", "", { failed: code });
  return formatPageUrl("power", ref);
}

/** Returns a cause's worst single failure, its name and impact. The cause's own impact covers all elements together. */
export function findWorstFailure({ elements }: FailureCause): {
  readonly name: string;
  readonly impact: Impact | undefined;
} {
  const [worst] = elements;
  return { name: (worst?.refs ?? []).map(getRefName).join(" and "), impact: worst?.impact };
}

/** Describes the worst single failure's effect in one sentence; `none` if no rack and no device is affected. */
export function describeWorstFailure(
  cause: FailureCause | undefined,
  none = "No single failure takes a rack.",
): string {
  const { name, impact } = cause === undefined ? { name: "", impact: undefined } : findWorstFailure(cause);
  const [racks, devices] = [impact?.racks_dark ?? 0, impact?.it_devices_offline ?? 0];
  if (racks > 0) return `Losing ${name} would take ${formatQuantity(racks, "rack")}.`;
  if (devices > 0) return `Losing ${name} would take ${formatQuantity(devices, "device")} offline.`;
  return none;
}
