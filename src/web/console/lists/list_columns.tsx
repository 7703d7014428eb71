import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { InventoryRow } from "#gen/datacenter/v1/json.ts";
import { getRefName } from "#words/names.ts";
import { browserValues } from "../../shared/browser.ts";
import { Icon, StateMark } from "../../shared/marks.tsx";
import { getVisibleShareState, type State } from "../../shared/state_of_share.ts";
import { changeSettings, formatPageUrl } from "../router.ts";
import { RefLink } from "../ui/parts.tsx";
import { Popover } from "../ui/picture.tsx";
import {
  formatColumnFigure,
  formatColumnText,
  getColumnLabel,
  isFigureColumn,
  type ListKind,
  listAllColumns,
} from "./list_kinds.ts";

interface ColumnsProps {
  readonly list: ListKind;
  readonly shown: readonly string[];
}

/** Popover that chooses the columns of a list and their order. The URL and this browser store the choice. */
export function ColumnsChoice(props: ColumnsProps) {
  return (
    <Popover
      label={
        <>
          <Icon name="columns" />
          Columns
        </>
      }
    >
      <ColumnsPanel {...props} />
    </Popover>
  );
}

function ColumnsPanel({ list, shown }: ColumnsProps) {
  const known = listAllColumns(list.page);
  const hidden = [...known, ...list.columns.filter((name) => !known.includes(name))].filter(
    (one) => !shown.includes(one),
  );
  const rows = useRef<HTMLFieldSetElement>(null);
  const movedColumn = useRef("");
  const [announcement, setAnnouncement] = useState("");
  const storeColumns = (next: readonly string[]) => {
    const isUsual = next.join("|") === list.columns.join("|");
    storeListColumns(list, isUsual ? undefined : next);
    changeSettings({ columns: isUsual ? "" : next.join("|") });
  };
  const moveColumn = (column: string, at: number) => {
    const others = shown.filter((one) => one !== column);
    const place = Math.max(0, Math.min(others.length, at));
    storeColumns(others.toSpliced(place, 0, column));
    setAnnouncement(`${getColumnLabel(column)} is column ${place + 2} of ${shown.length + 1}`);
  };
  const order = shown.join("|");
  // Moving a row in the document removes its focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the order changes when rows move
  useLayoutEffect(() => {
    if (movedColumn.current !== "")
      rows.current?.querySelector<HTMLElement>(`[data-column="${movedColumn.current}"] input`)?.focus();
    movedColumn.current = "";
  }, [order]);
  const { over, startDrag } = useRowDrag(rows, moveColumn);
  return (
    <fieldset class="choices" ref={rows}>
      <legend class="sr-only">Columns</legend>
      <p class="muted">
        Drag to order, or <kbd>Alt</kbd> <kbd>↑</kbd> <kbd>↓</kbd>
      </p>
      {[...shown, ...hidden].map((column, at) => (
        <label
          key={column}
          class={over === at && at < shown.length ? "switch drop" : "switch"}
          data-column={column}
          onKeyDown={(event) => {
            const step = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined;
            if (step === undefined || at >= shown.length) return;
            event.preventDefault();
            movedColumn.current = column;
            moveColumn(column, at + step);
          }}
        >
          <input
            type="checkbox"
            checked={at < shown.length}
            onChange={({ currentTarget }) =>
              storeColumns(currentTarget.checked ? [...shown, column] : shown.filter((one) => one !== column))
            }
          />
          <span>{getColumnLabel(column)}</span>
          {at < shown.length ? (
            <span class="grip" aria-hidden="true" onPointerDown={(event) => startDrag(event, column)}>
              <Icon name="grip" />
            </span>
          ) : null}
        </label>
      ))}
      <p class="sr-only" role="status">
        {announcement}
      </p>
    </fieldset>
  );
}

/** Lets the person drag a row to another position; `over` is the index of the row below the drop position. */
function useRowDrag(
  rows: { readonly current: HTMLElement | null },
  moveTo: (column: string, at: number) => void,
): { readonly over: number | undefined; readonly startDrag: (event: PointerEvent, column: string) => void } {
  const [over, setOver] = useState<number>();
  const startDrag = (event: PointerEvent, column: string) => {
    event.preventDefault();
    const ended = new AbortController();
    const { signal } = ended;
    let place: number | undefined;
    const endDrag = (isDone: boolean) => {
      ended.abort();
      setOver(undefined);
      // The end of a drag must not click the row below.
      addEventListener("click", (click) => click.preventDefault(), {
        capture: true,
        once: true,
        signal: AbortSignal.timeout(100),
      });
      if (isDone && place !== undefined) moveTo(column, place);
    };
    const trackPointer = ({ clientY }: PointerEvent) => {
      const all = [...(rows.current?.querySelectorAll<HTMLElement>("[data-column]") ?? [])];
      const middle = (row: HTMLElement) => row.getBoundingClientRect().top + row.offsetHeight / 2;
      const before = all.filter((row) => row.dataset["column"] !== column && middle(row) < clientY).length;
      place = before;
      setOver(all.findIndex((row) => row.dataset["column"] === column) < before ? before + 1 : before);
    };
    addEventListener("pointermove", trackPointer, { signal });
    addEventListener("pointerup", () => endDrag(true), { signal });
    addEventListener("pointercancel", () => endDrag(false), { signal });
  };
  return { over, startDrag };
}

/** A named filter of a list, stored as its URL. */
interface SavedFilter {
  readonly name: string;
  readonly href: string;
}

/** Returns the filters of a list that this browser stores, ordered by name. */
export function readSavedFilters({ page }: ListKind): readonly SavedFilter[] {
  return readStoredPairs(`planner-filters-${page}`).flatMap(([name, href]) =>
    typeof href === "string" && href.startsWith(formatPageUrl(page)) ? [{ name, href }] : [],
  );
}

/**
 * Stores a filter under a name and replaces an earlier one; an undefined URL deletes it.
 * @throws DOMException if the browser's storage is full
 */
export function saveFilter(list: ListKind, name: string, href: string | undefined): void {
  const others = readSavedFilters(list).filter((one) => one.name !== name);
  const all = href === undefined ? others : [...others, { name, href }];
  const sorted = all.toSorted((one, other) => one.name.localeCompare(other.name));
  localStorage.setItem(`planner-filters-${list.page}`, JSON.stringify(sorted.map((one) => [one.name, one.href])));
}

/** Returns the columns that the person chose for a list in this browser; undefined for the default ones. */
export function readStoredColumns(list: ListKind): readonly string[] | undefined {
  const known = new Set([...listAllColumns(list.page), ...list.columns]);
  const kept = (browserValues.get(`planner-columns-${list.page}`) ?? "").split("|").filter((one) => known.has(one));
  return kept.length === 0 ? undefined : [...new Set(kept)];
}

function storeListColumns({ page }: ListKind, columns: readonly string[] | undefined): void {
  if (columns === undefined) browserValues.remove(`planner-columns-${page}`);
  else browserValues.set(`planner-columns-${page}`, columns.join("|"));
}

/** Returns the pairs that this browser stores under a key; empty if the stored value is malformed. */
function readStoredPairs(key: string): readonly (readonly [string, unknown])[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(kept)
      ? kept.flatMap((one) => (Array.isArray(one) ? [[String(one[0]), one[1]] as const] : []))
      : [];
  } catch {
    return [];
  }
}

/** States of enum values. Other values have no state. */
const STATES_BY_VALUE: Readonly<Record<string, State>> = {
  FAULT: "fault",
  WATCH: "watch",
  FAILED: "fault",
  NO_LIVE_SUPPLY: "fault",
  DEAD: "fault",
  DOWN: "fault",
  UNMET: "watch",
  UNKNOWN: "unknown",
  UNDOCUMENTED: "unknown",
};

const STATE_COLUMNS: ReadonlySet<string> = new Set(["health", "status", "supply", "power", "redundancy", "traffic"]);
/** Columns with shares of a limit. Other percentages, such as a limit itself, have no state. */
const SHARE_COLUMNS = new Set(["space_pct", "power_pct", "cooling_pct", "load_pct", "failover_pct", "busiest_pct"]);

/** A table cell: a link, a state, or a figure. `most`, the column's greatest figure, determines the figure's unit. */
export function ListCell(props: {
  readonly row: InventoryRow;
  readonly column: string;
  readonly most?: number | undefined;
}) {
  const { row, column, most } = props;
  const figure = row.figures[column];
  if (figure !== undefined) {
    const words = formatColumnFigure(column, figure, most);
    const state = SHARE_COLUMNS.has(column) && column !== "space_pct" ? getVisibleShareState(figure) : undefined;
    return state === undefined ? <span>{words}</span> : <MarkedText state={state}>{words}</MarkedText>;
  }
  const text = row.texts[column];
  // Shown as a muted word, because an unknown value is neither empty nor 0.
  if (text === undefined && isFigureColumn(column) && isFigureApplicable(row, column))
    return <span class="muted">not recorded</span>;
  if (text === undefined) return <span class="muted none">–</span>;
  const state = STATE_COLUMNS.has(column) ? STATES_BY_VALUE[text] : undefined;
  if (state !== undefined) return <MarkedText state={state}>{formatColumnText(column, text)}</MarkedText>;
  return <span>{renderElementLink(row, column, text)}</span>;
}

/** Whether a figure applies to a row: inlets have no speed, and unracked devices have no unit. */
function isFigureApplicable({ texts }: InventoryRow, column: string): boolean {
  if (column === "speed_mbps") return texts["kind"]?.startsWith("POWER_") !== true;
  return column !== "position_u" || texts["rack"] !== undefined;
}

function MarkedText({ state, children }: { readonly state: State; readonly children: ComponentChildren }) {
  return (
    <span class={`said ${state}`}>
      <StateMark state={state} />
      {children}
    </span>
  );
}

/** Returns a link to the element that a text names, or the formatted text if it names no element. */
function renderElementLink({ texts }: InventoryRow, column: string, text: string): ComponentChildren {
  const floor = `${texts["site"]}/${texts["floor"]}`;
  switch (column) {
    case "site":
      return <RefLink to={`site:${text}`} />;
    case "floor":
      return <RefLink to={`floor:${floor}`} label={text} />;
    case "room":
    case "row":
      return <RefLink to={`${column}:${floor}/${text}`} label={text} />;
    case "rack":
      return <RefLink to={`rack:${text}`} />;
    case "device":
    case "a_device":
    case "b_device":
    case "inside":
      return <RefLink to={`device:${text}`} />;
    case "fabric":
      return <RefLink to={`fabric:${text}`} />;
    case "feed":
      return <RefLink to={`feed:${text}`} />;
    case "leads_to":
    case "failover_ref":
      return <RefLink to={text} />;
    case "source":
      return text.includes(":") ? <RefLink to={text} /> : <a href={formatPageUrl("trace", `port:${text}`)}>{text}</a>;
    case "serves":
      return text.split(", ").map((ref) => <RefLink key={ref} to={ref} label={`${getRefName(ref)} `} />);
    default:
      return formatColumnText(column, text);
  }
}
