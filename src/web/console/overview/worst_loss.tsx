import type { FailureCause, Location } from "#gen/datacenter/v1/json.ts";
import { getRefName } from "#words/names.ts";
import { StateMark } from "../../shared/state.tsx";
import { useCall } from "../api/use_call.ts";
import { formatPageUrl } from "../router.ts";
import { lossSentence, pictureOf, stateOfCause } from "./rehearsal.ts";

/** Causes that a page of a place names. */
const CAUSES = 4;

/** The failures in a rack, row, room or site that take most, wherever they take it. */
export function useCauses(scope: string): readonly FailureCause[] | undefined {
  const request = { scope_ref: scope, cascade: true, page_size: CAUSES };
  return useCall("datacenter.v1.PlanningService/RehearseFailures", request).reply?.causes;
}

/** What turns all of a rack off, which may be outside of it; else the worst of the failures inside. */
export function RackLoss({ code, location }: { readonly code: string; readonly location: Location | undefined }) {
  const floor_ref = `floor:${location?.site_id}/${location?.floor_number}`;
  const { reply } = useCall("FloorPlan", location && { floor_ref, coloring: "COLORING_RISK" });
  if (reply === undefined) return <>&nbsp;</>;
  const { risk, risk_ref = "" } = [...reply.racks, ...reply.unplaced_racks].find((one) => one.code === code) ?? {};
  if (risk !== "RACK_RISK_DARK") return <WorstLoss scope={`rack:${code}`} />;
  return (
    <>
      <StateMark state="fault" label="fault:" />
      <a href={formatPageUrl("power", risk_ref)}>Losing {getRefName(risk_ref)} would turn all of it off.</a>
    </>
  );
}

/** What the worst failure of an element in a place takes, in one sentence. Failures elsewhere may take the place. */
export function WorstLoss({ scope }: { readonly scope: string }) {
  const causes = useCauses(scope);
  const [worst] = causes ?? [];
  // The line is there before its answer, so that nothing below it moves.
  if (causes === undefined) return <>&nbsp;</>;
  if (worst === undefined) return <>No failure inside it takes anything.</>;
  return (
    <>
      <StateMark state={stateOfCause(worst)} label={`${stateOfCause(worst)}:`} />
      <a href={pictureOf(worst)}>{lossSentence(worst, "No failure inside it takes a rack or a device.")}</a>
    </>
  );
}
