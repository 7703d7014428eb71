import type { HealthReason } from "#gen/datacenter/v1/json.ts";
import { describeReason, formatReasonFigures } from "../reason_words.ts";
import { RefLink } from "../ui/parts.tsx";

const MAX_REASONS = 3;

/** Lists the most severe reasons for an element's health, with measured and allowed values. */
export function HealthReasons(props: { readonly reasons: readonly HealthReason[]; readonly all?: boolean }) {
  const { reasons, all = false } = props;
  if (reasons.length === 0) return null;
  const sorted = [...reasons].sort((a, b) => rankHealthReason(b) - rankHealthReason(a));
  const shown = all ? sorted : sorted.slice(0, MAX_REASONS);
  return (
    <ul class="reasons">
      {shown.map((reason) => (
        <li key={`${reason.code} ${reason.ref}`}>
          {describeReason(reason.code)}
          {reason.ref === "" ? null : (
            <>
              {": "}
              <RefLink to={reason.ref} />
            </>
          )}
          {formatReasonFigures(reason)}
        </li>
      ))}
      {shown.length < reasons.length ? <li>and {reasons.length - shown.length} more</li> : null}
    </ul>
  );
}

function rankHealthReason({ health }: HealthReason): number {
  return health === "HEALTH_FAULT" ? 2 : health === "HEALTH_WATCH" ? 1 : 0;
}
