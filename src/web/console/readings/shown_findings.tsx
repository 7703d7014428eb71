import type { ReadingFinding } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { getRefName, stripRefKinds } from "#words/names.ts";
import { StateMark } from "../../shared/state.tsx";
import { useCall } from "../api/use_call.ts";
import { formatPageUrl } from "../router.ts";
import { Card, RefLink, TimeText } from "../ui/parts.tsx";

/** The worst findings of readings in a scope, or everywhere; hidden if there are none. */
export function WorstFindings({ scope = "", most = 4 }: { readonly scope?: string; readonly most?: number }) {
  const { reply } = useCall("datacenter.v1.PlanningService/ListFindings", { scope_ref: scope, page_size: most });
  if (reply === undefined || reply.findings.length === 0) return null;
  const rest = reply.total_count - reply.findings.length;
  return (
    <Card title="Shown by readings" action={<a href={formatPageUrl("readings")}>Readings</a>}>
      <ul class="failed-now">
        {reply.findings.map((one) => (
          <ReadingFindingLine key={`${one.kind} ${one.element_ref} ${one.source}`} finding={one} />
        ))}
      </ul>
      {rest === 0 ? null : (
        <p class="card-foot">
          <a href={formatPageUrl("readings")}>{formatCount(rest)} more</a>
        </p>
      )}
    </Card>
  );
}

function ReadingFindingLine(props: { readonly finding: ReadingFinding }) {
  const {
    finding: { element_ref, severity, since, summary },
  } = props;
  // The name of the element within the sentence becomes a link to its page.
  const name = getRefName(element_ref);
  const [before = "", ...after] = stripRefKinds(summary).split(name);
  const state = severity === "HEALTH_FAULT" ? "fault" : "watch";
  return (
    <li>
      <StateMark state={state} label={`${state}:`} />
      <span>
        {element_ref === "" ? (
          summary
        ) : (
          <>
            {before}
            <RefLink to={element_ref} />
            {after.join(name)}
          </>
        )}
        .{" "}
        {since === undefined ? null : (
          <span class="muted">
            Since <TimeText at={since} />
          </span>
        )}
      </span>
    </li>
  );
}
