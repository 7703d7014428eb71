import type { FailedElement, FailureCause, Impact, RehearseFailuresResponse } from "#gen/datacenter/v1/json.ts";
import { getRefName } from "#words/names.ts";
import type { State } from "../../shared/state_of_share.ts";
import { type CallState, useCall } from "../api/client.ts";
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

export function getCauseState({ severity }: Pick<FailureCause, "severity">): State {
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

/** Returns the whole impact of a cause's worst element. The cause's own impact covers all its elements together. */
export function findWorstImpact({ elements }: FailureCause): Impact | undefined {
  return elements[0]?.impact;
}

/** Says of an inventory or place without anything to fail that it is not known to be safe. */
export const NOTHING_TO_FAIL = "No supply, cooling unit or switch is recorded";

/** Describes the failure that takes most in one sentence; `none` if no rack and no device is affected. */
export function describeWorstFailure(
  worst: FailedElement | undefined,
  none = "By what is recorded, no single failure takes a rack or a device.",
): string {
  if (worst === undefined) return none;
  const { refs, impact, devices_without_data_path_count: unreachable } = worst;
  const [racks, devices] = [impact?.racks_dark ?? 0, (impact?.it_devices_offline ?? 0) + unreachable];
  const taken = [racks > 0 ? formatQuantity(racks, "rack") : "", devices > 0 ? formatQuantity(devices, "device") : ""];
  const what = taken.filter((part) => part !== "").join(" and ");
  return what === "" ? none : `Losing ${refs.map(getRefName).join(" and ")} would take ${what}.`;
}
