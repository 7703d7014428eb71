import type { RpcRequest } from "../api/client.ts";
import type { PageAddress } from "../router.ts";
import { rangeOf } from "./column_words.ts";
import type { ListKind } from "./list_kinds.ts";

export const LIST_RPC = "datacenter.v1.PlanningService/ListInventory";
export const PAGE_SIZE = 50;

/** Settings of a list that are no condition on a column. */
const OTHERS: ReadonlySet<string> = new Set(["q", "order", "page", "columns"]);

/** One condition as the address has it: `rack=A01|A02`, or `power_pct=80..100` for figures. */
export interface Condition {
  readonly column: string;
  readonly text: string;
}

export function conditionsOf({ settings }: Pick<PageAddress, "settings">): readonly Condition[] {
  return [...settings].filter(([name]) => !OTHERS.has(name)).map(([column, text]) => ({ column, text }));
}

/** The request of a list as its address asks for it, without the page. */
export function requestOf(list: ListKind, place: PageAddress): RpcRequest<typeof LIST_RPC> {
  return {
    kind: `INVENTORY_KIND_${list.kind}`,
    query: place.settings.get("q") ?? "",
    conditions: conditionsOf(place).map(({ column, text }) => ({
      column,
      ...(rangeOf(text) ?? { values: text.split("|") }),
    })),
    order_by: place.settings.get("order") ?? "",
  };
}

/** The `skip` of a request is an int32. */
const MOST_PAGES = Math.floor((2 ** 31 - 1) / PAGE_SIZE);

/** The page of the address, from 1. */
export function pageOf({ settings }: PageAddress): number {
  return Math.max(1, Math.min(MOST_PAGES, Math.trunc(Number(settings.get("page") ?? "1")) || 1));
}

/** The columns of the address, each once, or those that the kind shows at first. */
export function columnsOf(list: ListKind, { settings }: PageAddress): readonly string[] {
  const chosen = settings.get("columns") ?? "";
  return chosen === "" ? list.columns : [...new Set(chosen.split("|"))];
}
