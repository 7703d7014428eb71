import type { ComponentChildren } from "preact";
import { Empty } from "./parts.tsx";

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly numeric?: boolean;
  /** Holds a choice of the row rather than something about it. */
  readonly mark?: boolean;
  /** What the head holds in place of the name. */
  readonly head?: ComponentChildren;
  /** The order that a click on the head asks for; absent where the rows cannot be ordered by it. */
  readonly order?: string;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly empty: string;
  readonly order?: { readonly by: string; readonly choose: (order: string) => void };
}

/** A table whose rows' links are walked with the arrow keys. */
export function Table<Row>({ caption, columns, rows, rowKey, empty, order }: TableProps<Row>) {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by the keyboard
    <section class="table-wrap" tabIndex={0} aria-label={caption}>
      <table>
        <caption class="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head
                key={column.name}
                column={column}
                leads={column === leadOf(columns)}
                {...(order === undefined ? {} : { order })}
              />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={walk}>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <td key={column.name} class={cellClass(column, columns)} data-name={column.name}>
                  {formatCell(column.cell(row))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Returns a cell's content, or a dash if it is empty. */
function formatCell(held: ComponentChildren): ComponentChildren {
  const isEmpty = held === null || held === undefined || held === "" || held === "–";
  return isEmpty || (Array.isArray(held) && held.length === 0) ? <span class="muted none">–</span> : held;
}

/** Returns a cell's class. In rows of two lines, the first column that is not a mark leads. */
function cellClass<Row>(column: Column<Row>, columns: readonly Column<Row>[]): string | undefined {
  if (column.mark === true) return "mark";
  if (column === leadOf(columns)) return "lead";
  return column.numeric === true ? "num" : undefined;
}

function leadOf<Row>(columns: readonly Column<Row>[]): Column<Row> | undefined {
  return columns.find(({ mark }) => mark !== true);
}

function Head<Row>({
  column,
  leads,
  order,
}: {
  readonly column: Column<Row>;
  readonly leads: boolean;
  readonly order?: NonNullable<TableProps<Row>["order"]>;
}) {
  const { name, numeric, order: own, head = name } = column;
  // The leading column is aligned with its cells.
  const plain = numeric === true && !leads ? "num" : undefined;
  if (own === undefined || order === undefined)
    return (
      <th scope="col" class={column.mark === true ? "mark" : plain}>
        {head}
      </th>
    );
  const up = order.by === own;
  const down = order.by === `${own} desc`;
  return (
    <th scope="col" class={plain} aria-sort={up ? "ascending" : down ? "descending" : "none"}>
      <button type="button" class="sort" onClick={() => order.choose(up ? `${own} desc` : own)}>
        {name}
        <span aria-hidden="true">{up ? " ▲" : down ? " ▼" : ""}</span>
      </button>
    </th>
  );
}

/** Arrow up and down move between the first links of rows. */
function walk(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const row = (event.target as HTMLElement).closest("tr");
  if (step === undefined || row === null) return;
  const rows = [...event.currentTarget.querySelectorAll("tr")];
  const next = rows[rows.indexOf(row) + step]?.querySelector<HTMLElement>("a, button");
  if (next === null || next === undefined) return;
  event.preventDefault();
  next.focus();
}
