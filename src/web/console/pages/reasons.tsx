import type { HealthReason } from "../api/replies.ts";
import { constantWord, decimal } from "../labels.ts";
import { RefLink } from "../ui/parts.tsx";

const SHOWN = 3;

/** Why a rack is not well: the gravest reasons, with what was found and what is allowed. */
export function Reasons({
  reasons,
  all = false,
}: {
  readonly reasons: readonly HealthReason[];
  readonly all?: boolean;
}) {
  if (reasons.length === 0) return null;
  const sorted = [...reasons].sort((a, b) => grave(b) - grave(a));
  const shown = all ? sorted : sorted.slice(0, SHOWN);
  return (
    <ul class="reasons">
      {shown.map(({ code, value, limit, ref }) => (
        <li key={`${code} ${ref}`}>
          {constantWord(code)} {figures(value, limit)}
          {ref === "" ? null : (
            <>
              {" "}
              <RefLink to={ref} />
            </>
          )}
        </li>
      ))}
      {shown.length < reasons.length ? <li>and {reasons.length - shown.length} more</li> : null}
    </ul>
  );
}

function grave({ health }: HealthReason): number {
  return health === "HEALTH_FAULT" ? 2 : health === "HEALTH_WATCH" ? 1 : 0;
}

/** What was found and what is allowed, as far as the reason has them. */
function figures(value: number | undefined, limit: number | undefined): string {
  if (value === undefined) return "";
  return limit === undefined ? decimal(value) : `${decimal(value)} / ${decimal(limit)}`;
}
