import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { FloorPlanResponse, Health } from "#gen/datacenter/v1/json.ts";
import { FULL_PCT } from "#kernel/judge_share.ts";
import { formatCount } from "#words/figures.ts";
import { getRefName, hasUnrecordedPower } from "#words/names.ts";
import { StateMark } from "../../shared/marks.tsx";
import { getVisibleShareState, type State } from "../../shared/state_of_share.ts";
import { formatShortMoment, formatUtcMoment } from "../labels.ts";
import { findRefUrl, formatPageUrl, parseAddress } from "../router.ts";

interface ContainerProps {
  readonly children?: ComponentChildren;
}

export function Card({
  title,
  action,
  children,
}: ContainerProps & { readonly title: string; readonly action?: ComponentChildren }) {
  return (
    <section class="card">
      <header class="card-head">
        <h2>{title}</h2>
        {action}
      </header>
      {children}
    </section>
  );
}

export type Tone = State | "plain";

/** A state as a colour, a shape and a word, so that people can recognise it by any of the three. */
export function Badge({ tone, children }: ContainerProps & { readonly tone: Tone }) {
  return (
    <span class={`badge ${tone}`}>
      {tone === "plain" ? null : <StateMark state={tone} />}
      {children}
    </span>
  );
}

/** Number of racks by health; a count of zero has no warning colour, and no racks of unknown health are not named. */
export function HealthCounts({ counts }: { readonly counts: FloorPlanResponse["counts"] }) {
  const { ok = 0, watch = 0, fault = 0, ok_unproven: unknown = 0 } = counts ?? {};
  const states = [
    ["ok", ok - unknown],
    ["watch", watch],
    ["fault", fault],
    ...(unknown === 0 ? [] : [["unknown", unknown] as const]),
  ] as const;
  return (
    <p class="badges">
      <span class="muted">Health</span>
      {states.map(([state, count]) => (
        <Badge key={state} tone={count > 0 ? state : "plain"}>
          {formatCount(count)} {state}
        </Badge>
      ))}
    </p>
  );
}

const HEALTH_BADGES: Readonly<Record<string, readonly [Tone, string]>> = {
  HEALTH_OK: ["ok", "ok"],
  HEALTH_WATCH: ["watch", "watch"],
  HEALTH_FAULT: ["fault", "fault"],
};

/** @param reasons of a rack, which is not told as OK if the power of a device is not recorded */
export function HealthBadge(props: {
  readonly health: Health;
  readonly reasons?: readonly { readonly code: string }[];
}) {
  const { health, reasons = [] } = props;
  const isUnproven = health === "HEALTH_OK" && hasUnrecordedPower(reasons);
  const [tone, word] = (isUnproven ? undefined : HEALTH_BADGES[health]) ?? ["unknown", "unknown"];
  return <Badge tone={tone}>{word}</Badge>;
}

/** A figure with its label and an optional explanation. */
export function Figure(props: {
  readonly label: string;
  readonly value: string;
  readonly tone?: Tone;
  readonly note?: string;
}) {
  const { label, value, tone = "plain", note } = props;
  return (
    <div class={`figure ${tone}`}>
      <dt>{label}</dt>
      <dd>
        {value}
        {note === undefined ? null : <small>{note}</small>}
      </dd>
    </div>
  );
}

export function FigureRow({ children }: ContainerProps) {
  return <dl class="figures">{children}</dl>;
}

/** List of names and values; rows without a value are omitted. */
export function FactList({ rows }: { readonly rows: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== "" && value !== undefined && value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Maximum length of a name that is not broken at its hyphens. */
const MAX_UNBROKEN_LENGTH = 20;

/** A reference as a link to its page, or as text if the reference has no page. */
export function RefLink({ to, label }: { readonly to: string; readonly label?: string }) {
  const href = findRefUrl(to);
  const text = label ?? getRefName(to);
  const look = text.length <= MAX_UNBROKEN_LENGTH ? "whole" : undefined;
  return href === undefined ? (
    <span class={look}>{text}</span>
  ) : (
    <a class={look} href={href}>
      {text}
    </a>
  );
}

/** A time in the reader's time zone; the tooltip shows it in UTC. */
export function TimeText({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={formatUtcMoment(at)}>
      {formatShortMoment(at)}
    </time>
  );
}

/**
 * Use of a limit: a bar with marks at 80 and 100 %, and the figure in words. `after` is the hatched share after one
 * failure. An unknown share is hatched over the whole bar and never drawn as 0 %.
 */
export function Meter(props: {
  readonly label: string;
  readonly share: number | undefined;
  readonly after?: number | undefined;
  readonly text: string;
  /** Whether a full bar is harmless; it then has no colour. */
  readonly harmless?: true;
}) {
  const { label, share, after, text, harmless } = props;
  const worst = share === undefined || harmless ? undefined : Math.max(share, after ?? 0);
  return (
    <div class="meter-row">
      <span class="meter-label">{label}</span>
      <MeterBar share={share} after={after} harmless={harmless} />
      <span class="meter-text">
        {worst === undefined || getVisibleShareState(worst) === undefined ? null : (
          <StateMark
            state={getVisibleShareState(worst) ?? "watch"}
            label={worst >= FULL_PCT ? "at or over the limit" : "near the limit"}
          />
        )}{" "}
        {text}
      </span>
    </div>
  );
}

/** Percent at the right end of a bar. */
const BAR_END_PCT = 125;

export function MeterBar(props: {
  readonly share: number | undefined;
  readonly after?: number | undefined;
  readonly harmless?: true | undefined;
}) {
  const { share, after, harmless } = props;
  if (share === undefined) return <span class="meter unknown" />;
  const width = (value: number) => (100 * Math.max(0, Math.min(BAR_END_PCT, value))) / BAR_END_PCT;
  const getShareClass = (value: number) => (harmless ? "" : (getVisibleShareState(value) ?? ""));
  const added = after === undefined || after <= share ? 0 : after;
  return (
    <svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="meter-back" width="100" height="6" />
      {added === 0 ? null : (
        <rect
          class={`meter-after ${getShareClass(added)}`}
          x={width(share)}
          width={width(added) - width(share)}
          height="6"
        />
      )}
      <rect class={`meter-fill ${getShareClass(share)}`} width={width(share)} height="6" />
      <path class="meter-marks" d={`M${width(80)} 0v6M${width(100)} 0v6`} />
    </svg>
  );
}

/** A sentence after the mark of its state. */
export function MarkedSentence({ state, children }: ContainerProps & { readonly state: State }) {
  return (
    <>
      <StateMark state={state} label={`${state}:`} />
      <span>{children}</span>
    </>
  );
}

/** Puts commas between elements of a sentence. */
export function joinWithCommas(elements: readonly ComponentChildren[]): ComponentChildren {
  return elements.flatMap((element, at) => (at === 0 ? [element] : [", ", element]));
}

export function EmptyText({ children }: ContainerProps) {
  return <p class="empty">{children}</p>;
}

/** Notice above a page about a part of its URL that was ignored. */
export function Notice({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="notice" role="status">
      <StateMark state="watch" label="Note:" /> <span>{children}</span>
    </p>
  );
}

/** Tabs of a page that shows one of them at a time; the URL stores the choice. */
export function PageTabs(props: {
  readonly tabs: readonly (readonly [key: string, name: string, count?: number | undefined])[];
  readonly chosen: string;
}) {
  const { tabs, chosen } = props;
  const { page, subject, settings } = parseAddress(location.hash);
  return (
    <nav class="tabs" aria-label="Parts of this page">
      {tabs.map(([tab, name, count]) => (
        <a
          key={tab}
          href={formatPageUrl(page, subject, { ...Object.fromEntries(settings), tab })}
          aria-current={tab === chosen ? "page" : undefined}
        >
          {name} <span class="muted">{count}</span>
        </a>
      ))}
    </nav>
  );
}

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

/** Pages visited so far. They are stored for the way back, because the service's page tokens lead only forward. */
export interface VisitedPages {
  readonly token: string;
  readonly number: number;
  readonly goForward: (token: string) => void;
  readonly goBack: () => void;
}

/** Stores the visited pages; starts again at the first page when the question changes. */
export function useVisitedPages(question: string): VisitedPages {
  const [visited, setWalked] = useState<{ readonly question: string; readonly tokens: readonly string[] }>({
    question,
    tokens: [],
  });
  const tokens = visited.question === question ? visited.tokens : [];
  useEffect(() => setWalked({ question, tokens: [] }), [question]);
  return {
    token: tokens.at(-1) ?? "",
    number: tokens.length + 1,
    goForward: (token) => setWalked({ question, tokens: [...tokens, token] }),
    goBack: () => setWalked({ question, tokens: tokens.slice(0, -1) }),
  };
}

export function Pager({ pages, next }: { readonly pages: VisitedPages; readonly next: string }) {
  if (next === "" && pages.number === 1) return null;
  return (
    <nav class="pager" aria-label="Pages of this list">
      <button type="button" disabled={pages.number === 1} onClick={pages.goBack}>
        Previous
      </button>
      <span>Page {pages.number}</span>
      <button type="button" disabled={next === ""} onClick={() => pages.goForward(next)}>
        Next
      </button>
    </nav>
  );
}
