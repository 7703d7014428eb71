import type { RpcRequest } from "../api/client.ts";
import type { PageAddress } from "../router.ts";
import { type ListKind, parseFigureRange } from "./list_kinds.ts";

export const LIST_INVENTORY_RPC = "datacenter.v1.PlanningService/ListInventory";
export const LIST_PAGE_SIZE = 50;

/** Settings of a list that are not conditions on a column. */
const NON_CONDITION_SETTINGS: ReadonlySet<string> = new Set(["q", "order", "page", "columns"]);

/** One condition of a URL: `rack=A01|A02`, or `power_pct=80..100` for figures. */
export interface ColumnCondition {
  readonly column: string;
  readonly text: string;
}

export function listConditions({ settings }: Pick<PageAddress, "settings">): readonly ColumnCondition[] {
  return [...settings]
    .filter(([name]) => !NON_CONDITION_SETTINGS.has(name))
    .map(([column, text]) => ({ column, text }));
}

/** Returns the request for a list with the conditions of its URL, without the page. */
export function createListRequest(list: ListKind, place: PageAddress): RpcRequest<typeof LIST_INVENTORY_RPC> {
  return {
    kind: `INVENTORY_KIND_${list.kind}`,
    query: place.settings.get("q") ?? "",
    conditions: listConditions(place).map(({ column, text }) => ({
      column,
      ...(parseFigureRange(text) ?? { values: text.split("|") }),
    })),
    order_by: place.settings.get("order") ?? "",
  };
}

/** Last page that can be requested, because the `skip` of a request is an int32. */
const MAX_PAGE_NUMBER = Math.floor((2 ** 31 - 1) / LIST_PAGE_SIZE);

/** Returns the page number of a URL, counted from 1. */
export function getPageNumber({ settings }: PageAddress): number {
  return Math.max(1, Math.min(MAX_PAGE_NUMBER, Math.trunc(Number(settings.get("page") ?? "1")) || 1));
}

/** Returns the columns of a URL, each once, or the default columns of the list. */
export function listShownColumns(list: ListKind, { settings }: PageAddress): readonly string[] {
  const chosen = settings.get("columns") ?? "";
  return chosen === "" ? list.columns : [...new Set(chosen.split("|"))];
}
