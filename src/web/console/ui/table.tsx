import type { ComponentChildren } from "preact";
import { Card, EmptyText } from "./parts.tsx";

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly numeric?: boolean;
  /** Whether the column contains a checkbox for the row instead of data. */
  readonly isCheckbox?: boolean;
  /** Content of the header in place of the name. */
  readonly header?: ComponentChildren;
  /** Order that a click on the header requests; absent if the rows cannot be ordered by this column. */
  readonly order?: string;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Text that is shown without rows. */
  readonly empty?: string;
  readonly order?: { readonly by: string; readonly choose: (order: string) => void };
}

/** A table in which arrow keys move between the rows' links. */
export function Table<Row>({ caption, columns, rows, rowKey, empty = "", order }: TableProps<Row>) {
  if (rows.length === 0) return <EmptyText>{empty}</EmptyText>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by the keyboard
    <section class="table-wrap" tabIndex={0} aria-label={caption}>
      <table>
        <caption class="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <TableHead
                key={column.name}
                column={column}
                leads={column === findLeadColumn(columns)}
                {...(order === undefined ? {} : { order })}
              />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={moveLinkFocus}>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <td key={column.name} class={getCellClass(column, columns)} data-name={column.name}>
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

/** A card with a table, whose caption is the title if none is given. `children` follow the table. */
export function TableCard<Row>({
  title,
  action,
  caption = title,
  children,
  ...table
}: Omit<TableProps<Row>, "caption"> & {
  readonly title: string;
  readonly action?: ComponentChildren;
  readonly caption?: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <Card title={title} action={action}>
      <Table caption={caption} {...table} />
      {children}
    </Card>
  );
}

/** Returns a cell's content, or a dash if it is empty. */
function formatCell(content: ComponentChildren): ComponentChildren {
  const isEmpty = content === null || content === undefined || content === "" || content === "–";
  return isEmpty || (Array.isArray(content) && content.length === 0) ? <span class="muted none">–</span> : content;
}

/** Returns a cell's CSS class: `mark` for checkboxes, `lead` for the first other column, `num` for numbers. */
function getCellClass<Row>(column: Column<Row>, columns: readonly Column<Row>[]): string | undefined {
  if (column.isCheckbox === true) return "mark";
  if (column === findLeadColumn(columns)) return "lead";
  return column.numeric === true ? "num" : undefined;
}

function findLeadColumn<Row>(columns: readonly Column<Row>[]): Column<Row> | undefined {
  return columns.find(({ isCheckbox }) => isCheckbox !== true);
}

function TableHead<Row>(props: {
  readonly column: Column<Row>;
  readonly leads: boolean;
  readonly order?: NonNullable<TableProps<Row>["order"]>;
}) {
  const { column, leads, order } = props;
  const { name, numeric, order: own, header = name } = column;
  // The lead column is aligned left, even if it contains numbers.
  const plain = numeric === true && !leads ? "num" : undefined;
  if (own === undefined || order === undefined)
    return (
      <th scope="col" class={column.isCheckbox === true ? "mark" : plain}>
        {header}
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

/** Moves the focus between the first links of rows on arrow up and down. */
function moveLinkFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const row = (event.target as HTMLElement).closest("tr");
  if (step === undefined || row === null) return;
  const rows = [...event.currentTarget.querySelectorAll("tr")];
  const next = rows[rows.indexOf(row) + step]?.querySelector<HTMLElement>("a, button");
  if (next === null || next === undefined) return;
  event.preventDefault();
  next.focus();
}
