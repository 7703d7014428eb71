import type { FailureCause } from "#gen/datacenter/v1/json.ts";
import { StateMark } from "../../shared/state.tsx";
import { useCall } from "../api/use_call.ts";
import { lossSentence, pictureOf, stateOfCause } from "./rehearsal.ts";

/** Causes that a page of a place names. */
const CAUSES = 4;

/** The failures in a rack, row, room or site that take most, wherever they take it. */
export function useCauses(scope: string): readonly FailureCause[] | undefined {
  const request = { scope_ref: scope, cascade: true, page_size: CAUSES };
  return useCall("datacenter.v1.PlanningService/RehearseFailures", request).reply?.causes;
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
