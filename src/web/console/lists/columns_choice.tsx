import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../shared/icon.tsx";
import { changeSettings } from "../router.ts";
import { Popover } from "../ui/popover.tsx";
import { getColumnLabel } from "./column_words.ts";
import { storeListColumns } from "./kept.ts";
import { listAllColumns } from "./list_columns.ts";
import type { ListKind } from "./list_kinds.ts";

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
