import type { ListInventoryResponse } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { StateMark } from "../../shared/state.tsx";
import { useCall } from "../api/use_call.ts";
import { formatColumnText } from "../lists/column_words.ts";
import { LIST_INVENTORY_RPC } from "../lists/inventory_rows.ts";
import { formatPageUrl } from "../router.ts";
import { Card, RefLink } from "../ui/parts.tsx";

const MAX_ROWS = 4;

/** Queries for current failures: list, condition and label. */
const FAILURE_QUERIES = [
  { kind: "DEVICE", page: "devices", column: "status", value: "FAILED", what: "failed" },
  { kind: "DEVICE", page: "devices", column: "supply", value: "NO_LIVE_SUPPLY", what: "without live supply" },
  { kind: "SUPPLY", page: "supplies", column: "power", value: "DEAD", what: "without power" },
  { kind: "CRAC", page: "cooling", column: "status", value: "FAILED", what: "failed" },
  { kind: "FABRIC_LINK", page: "links", column: "traffic", value: "DOWN", what: "down" },
] as const;

type FailureQuery = (typeof FAILURE_QUERIES)[number];

/** Loads the queries that match elements, with their first rows; undefined until all queries are answered. */
export function useCurrentFailures():
  | readonly { readonly question: FailureQuery; readonly list: ListInventoryResponse }[]
  | undefined {
  const lists = FAILURE_QUERIES.map(useFailedRows);
  if (lists.includes(undefined)) return undefined;
  return FAILURE_QUERIES.flatMap((question, at) => {
    const list = lists[at];
    return list === undefined || list.total_count === 0 ? [] : [{ question, list }];
  });
}

function useFailedRows({ kind, column, value }: FailureQuery): ListInventoryResponse | undefined {
  const conditions = [{ column, values: [value] }];
  return useCall(LIST_INVENTORY_RPC, { kind: `INVENTORY_KIND_${kind}`, conditions, page_size: MAX_ROWS }).reply;
}

export function CurrentFailures({ failures }: { readonly failures: ReturnType<typeof useCurrentFailures> }) {
  if (failures === undefined || failures.length === 0) return null;
  return (
    <Card title="Failed now">
      <ul class="failed-now">
        {failures.map(({ question: { page, column, value, what, kind }, list }) => (
          <li key={`${kind} ${value}`}>
            <StateMark state="fault" label="fault:" />
            <span>
              {list.rows.map(({ ref, name, texts }) => (
                <span key={ref} class="failed-thing">
                  <RefLink to={ref} label={name} />{" "}
                  <span class="muted">
                    {[formatColumnText("kind", texts["kind"] ?? ""), texts["rack"]].filter(Boolean).join(" in ")} {what}
                  </span>
                </span>
              ))}
              {list.total_count > list.rows.length ? (
                <a href={formatPageUrl(page, "", { [column]: value })}>
                  {formatCount(list.total_count - list.rows.length)} more {what}
                </a>
              ) : null}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
