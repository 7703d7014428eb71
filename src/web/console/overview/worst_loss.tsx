import type { Location, RehearseFailuresResponse } from "#gen/datacenter/v1/json.ts";
import { getRefName } from "#words/names.ts";
import { StateMark } from "../../shared/state.tsx";
import { useCall } from "../api/use_call.ts";
import { formatPageUrl } from "../router.ts";
import { describeWorstFailure, getCauseState } from "./rehearsal.ts";

/** Maximum number of causes that the page of a location shows. */
const MAX_CAUSES = 4;

/** Loads the failures of elements inside a rack, row, room or site, the worst causes first. */
export function useScopeFailures(scope: string): RehearseFailuresResponse | undefined {
  const request = { scope_ref: scope, cascade: true, page_size: MAX_CAUSES };
  return useCall("datacenter.v1.PlanningService/RehearseFailures", request).reply;
}

/** Sentence about the failure that turns a whole rack off, or otherwise about the worst failure inside the rack. */
export function RackLossSentence(props: { readonly code: string; readonly location: Location | undefined }) {
  const { code, location } = props;
  const floor_ref = `floor:${location?.site_id}/${location?.floor_number}`;
  const { reply } = useCall("FloorPlan", location && { floor_ref, coloring: "COLORING_RISK" });
  if (reply === undefined) return <>&nbsp;</>;
  const { risk, risk_ref = "" } = [...reply.racks, ...reply.unplaced_racks].find((one) => one.code === code) ?? {};
  if (risk !== "RACK_RISK_DARK") return <WorstLossSentence scope={`rack:${code}`} />;
  return (
    <>
      <StateMark state="fault" label="fault:" />
      <a href={formatPageUrl("power", risk_ref)}>Losing {getRefName(risk_ref)} would turn all of it off.</a>
    </>
  );
}

/** Sentence about the worst failure inside a location. Failures elsewhere may also affect the location. */
export function WorstLossSentence({ scope }: { readonly scope: string }) {
  const reply = useScopeFailures(scope);
  // The empty line reserves its space, so that nothing below moves when the reply arrives.
  if (reply === undefined) return <>&nbsp;</>;
  const { worst } = reply;
  if (worst === undefined) return <>No failure inside it takes anything.</>;
  return (
    <>
      <StateMark state={getCauseState(worst)} label={`${getCauseState(worst)}:`} />
      <a href={formatPageUrl("power", worst.refs[0])}>
        {describeWorstFailure(worst, "No failure inside it takes a rack or a device.")}
      </a>
    </>
  );
}
