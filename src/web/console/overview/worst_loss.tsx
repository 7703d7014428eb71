import type { FailureCause } from "#gen/datacenter/v1/json.ts";
import { StateMark } from "../../shared/state.tsx";
import { useCall } from "../api/use_call.ts";
import { lossSentence, pictureOf, stateOfCause } from "./rehearsal.ts";

/** Causes that a page of a place names. */
const CAUSES = 4;

/** The failures that take most of a rack, row, room or site. */
export function useCauses(scope: string): readonly FailureCause[] | undefined {
  const request = { scope_ref: scope, cascade: true, page_size: CAUSES };
  return useCall("datacenter.v1.PlanningService/RehearseFailures", request).reply?.causes;
}

/** What the worst single failure takes of a place, in one sentence. */
export function WorstLoss({ scope }: { readonly scope: string }) {
  const causes = useCauses(scope);
  const [worst] = causes ?? [];
  // The line is there before its answer, so that nothing below it moves.
  if (causes === undefined) return <>&nbsp;</>;
  if (worst === undefined) return <>No single failure takes anything here.</>;
  return (
    <>
      <StateMark state={stateOfCause(worst)} label={`${stateOfCause(worst)}:`} />
      <a href={pictureOf(worst)}>{lossSentence(worst)}</a>
    </>
  );
}
