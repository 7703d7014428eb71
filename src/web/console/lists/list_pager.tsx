import { formatCount } from "#words/figures.ts";
import { changeSettings } from "../router.ts";
import { LIST_PAGE_SIZE } from "./inventory_rows.ts";

/** Links to the pages of a list, with the current page and the number of pages. */
export function ListPager({ page, total }: { readonly page: number; readonly total: number }) {
  const pages = Math.max(1, Math.ceil(total / LIST_PAGE_SIZE));
  if (pages === 1 && page === 1) return null;
  const createPageHandler = (to: number) => () => changeSettings({ page: to === 1 ? "" : String(to) });
  const first = (page - 1) * LIST_PAGE_SIZE + 1;
  return (
    <nav class="pager" aria-label="Pages of the list">
      <span class="muted">
        {formatCount(first)} to {formatCount(Math.min(total, first + LIST_PAGE_SIZE - 1))} of {formatCount(total)}
      </span>
      <button type="button" disabled={page === 1} onClick={createPageHandler(1)}>
        First
      </button>
      <button type="button" disabled={page === 1} onClick={createPageHandler(page - 1)}>
        Previous
      </button>
      <span>
        page <strong>{formatCount(page)}</strong> of {formatCount(pages)}
      </span>
      <button type="button" disabled={page >= pages} onClick={createPageHandler(page + 1)}>
        Next
      </button>
      <button type="button" disabled={page >= pages} onClick={createPageHandler(pages)}>
        Last
      </button>
    </nav>
  );
}
