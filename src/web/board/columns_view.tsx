import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type BoardData, type Card, type CardAgent, COLUMNS, type Column } from "#planner/board/wire.ts";
import { formatDollars, formatShortCount } from "#words/figures.ts";
import { stripTerminalSequences } from "#words/plain_log.ts";
import { COLUMN_DESCRIPTIONS, COLUMN_NAMES, formatBoardUrl, moveCard, readBoardAddress } from "./act.ts";
import { ColumnTabs } from "./app_parts.tsx";
import { formatElapsedTime, useCurrentTime } from "./store.ts";

interface ColumnsViewProps {
  readonly columns: Readonly<Record<Column, readonly Card[]>>;
  readonly data: BoardData | undefined;
  readonly cards: ReadonlyMap<string, Card>;
  /** Whether every card is drawn, for printing. */
  readonly isWhole: boolean;
  /** Column that a narrow window shows. */
  readonly tab: Column;
  readonly chooseTab: (column: Column) => void;
  readonly chosen: string | undefined;
  readonly choose: (id: string) => void;
  readonly work: (card: Card) => void;
}

/** The board's columns: side by side, or one at a time in a narrow window. */
export function ColumnsView({ columns, data, cards, isWhole, tab, chooseTab, chosen, choose, work }: ColumnsViewProps) {
  return (
    <>
      <ColumnTabs columns={columns} tab={tab} choose={chooseTab} />
      <main aria-label="Columns">
        {COLUMNS.map((column) => (
          <ColumnView
            key={column}
            column={column}
            cards={columns[column]}
            total={data?.columns[column] ?? 0}
            older={column === "done" ? (data?.older ?? 0) : 0}
            isShown={tab === column}
            isWhole={isWhole}
            isLoading={data === undefined}
            chosen={chosen}
            choose={choose}
            drop={(id) => {
              const card = cards.get(id);
              if (card !== undefined) moveCard(card, column, work);
            }}
          />
        ))}
      </main>
    </>
  );
}

/** Height of a card including its gap, in pixels; style/board.css sets the same value. */
const CARD_HEIGHT_PX = 152;
/** Number of cards that are drawn above and below the visible ones. */
const OVERSCAN_CARDS = 4;
/** Media type of the id that a dragged card transfers. */
const DRAG_MEDIA_TYPE = "application/x-planner-spec";

interface ColumnProps {
  readonly column: Column;
  readonly cards: readonly Card[];
  /** Number of specs in the column without a filter. */
  readonly total: number;
  readonly older: number;
  /** Whether a narrow window shows this column. */
  readonly isShown: boolean;
  /** Whether every card is drawn, for printing. */
  readonly isWhole: boolean;
  readonly isLoading: boolean;
  readonly chosen: string | undefined;
  readonly choose: (id: string) => void;
  readonly drop: (id: string) => void;
}

function ColumnView(props: ColumnProps) {
  const { column, cards, total, older, isShown, isLoading, drop } = props;
  const [isOver, setOver] = useState(false);
  const hidden = total - older - cards.length;
  const rest = [...(hidden > 0 ? [`${hidden} do not meet the filter`] : []), ...(older > 0 ? [`${older} older`] : [])];
  const empty = isLoading ? "Reading the project" : hidden > 0 ? "None meets the filter" : EMPTY_COLUMN_TEXTS[column];
  return (
    <section
      class={`column${isShown ? " shown" : ""}${isOver ? " over" : ""}`}
      aria-labelledby={`column-${column}`}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes(DRAG_MEDIA_TYPE) !== true) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const id = event.dataTransfer?.getData(DRAG_MEDIA_TYPE) ?? "";
        if (id !== "") drop(id);
      }}
    >
      <h2 id={`column-${column}`} title={`Specs: ${COLUMN_DESCRIPTIONS[column].replaceAll("`", "")}`}>
        {COLUMN_NAMES[column]} <span class="count">{total}</span>
        {column === "done" ? <span class="muted"> · last 30 days</span> : null}
      </h2>
      <CardList {...props} empty={empty} />
      {rest.length === 0 ? null : <p class="rest">{rest.join(", ")}</p>}
    </section>
  );
}

interface CardListProps extends Pick<ColumnProps, "cards" | "isWhole" | "chosen" | "choose"> {
  /** Text that is shown if there are no cards. */
  readonly empty: string;
}

/** Draws only the visible cards, in a list as high as all of them. */
function CardList({ cards, isWhole, chosen, choose, empty }: CardListProps) {
  const list = useRef<HTMLDivElement>(null);
  const { from, to } = useVisibleCards(list, cards.length, isWhole);
  const at = cards.findIndex(({ id }) => id === chosen);
  useScrollToCard(list, at, chosen);
  const drawn = cards.slice(from, to).map((card, index) => ({ card, index: from + index }));
  // The focused card stays drawn, however far the list is scrolled.
  const focused = cards[at];
  if (focused !== undefined && (at < from || at >= to)) drawn.push({ card: focused, index: at });
  return (
    <div class="cards" ref={list}>
      {cards.length === 0 ? (
        <p class="empty">{empty}</p>
      ) : (
        <ul style={isWhole ? undefined : { height: `${cards.length * CARD_HEIGHT_PX}px` }}>
          {drawn.map(({ card, index }) => (
            <li
              key={card.id}
              aria-setsize={cards.length}
              aria-posinset={index + 1}
              style={isWhole ? undefined : { top: `${index * CARD_HEIGHT_PX}px` }}
            >
              <CardView
                card={card}
                isChosen={card.id === chosen}
                choose={() => choose(card.id)}
                setDragData={(data) => data.setData(DRAG_MEDIA_TYPE, card.id)}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const EMPTY_COLUMN_TEXTS: Readonly<Record<Column, string>> = {
  blocked: "No spec waits for another one",
  ready: "No spec can be worked on now",
  working: "No agent is at work",
  needs_you: "Nothing waits for you",
  done: "Nothing was finished lately",
};

/** Returns the visible part of the list, as indexes of cards. */
function useVisibleCards(list: RefObject<HTMLDivElement | null>, count: number, isWhole: boolean) {
  const [seen, setSeen] = useState({ from: 0, to: 20 });
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return undefined;
    const updateVisible = () => {
      const from = Math.max(0, Math.floor(element.scrollTop / CARD_HEIGHT_PX) - OVERSCAN_CARDS);
      const to = Math.ceil((element.scrollTop + element.clientHeight) / CARD_HEIGHT_PX) + OVERSCAN_CARDS;
      setSeen((before) => (before.from === from && before.to === to ? before : { from, to }));
    };
    return addScrollListener(element, updateVisible);
  }, [list]);
  return isWhole ? { from: 0, to: count } : seen;
}

/** Scrolls to the chosen card and focuses it. */
function useScrollToCard(list: RefObject<HTMLDivElement | null>, at: number, chosen: string | undefined): void {
  const last = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (at === -1 || chosen === last.current) {
      if (at === -1) last.current = undefined;
      return;
    }
    last.current = chosen;
    const card = list.current?.querySelector<HTMLElement>("a.card[aria-current]");
    card?.scrollIntoView({ block: "nearest" });
    card?.focus({ preventScroll: true });
  }, [list, at, chosen]);
}

interface CardProps {
  readonly card: Card;
  readonly isChosen: boolean;
  readonly choose: () => void;
  readonly setDragData: (data: DataTransfer) => void;
}

function CardView({ card, isChosen, choose, setDragData }: CardProps) {
  const { id, short, title, type, labels, priority, due, assignee, criteria } = card;
  return (
    <a
      class="card"
      // An attribute, because a status from a spec file could equal the name of a class that hides the card.
      data-status={card.status}
      href={formatBoardUrl({ ...readBoardAddress(), spec: id })}
      aria-current={isChosen ? "true" : undefined}
      data-id={id}
      draggable
      onFocus={choose}
      onDragStart={({ dataTransfer }) => dataTransfer !== null && setDragData(dataTransfer)}
    >
      <span class="card-head">
        <code>{short}</code>
        {priority === null ? null : (
          <span class="priority" data-priority={priority}>
            {priority}
          </span>
        )}
        {criteria === null ? null : (
          <span
            class="criteria"
            title={`${criteria.checked} of ${criteria.total} criteria checked; of ${criteria.with_check} with a check ${criteria.proven} proven, ${criteria.disproven ?? 0} disproven`}
          >
            {criteria.checked} of {criteria.total}
            {criteria.proven > 0 ? `, ${criteria.proven} proven` : ""}
            {criteria.disproven === undefined ? null : <span class="disproven">, {criteria.disproven} disproven</span>}
          </span>
        )}
      </span>
      <span class="title">{title ?? "(no title)"}</span>
      <CardFacts card={card} />
      <span class="chips">
        {type === "code" ? null : <span class="chip">{type}</span>}
        {labels.map((label) => (
          <span class="chip" key={label}>
            {label}
          </span>
        ))}
        {assignee === null ? null : <span class="chip who">{assignee}</span>}
        {due === null ? null : <span class={`chip due${isOverdue(card) ? " late" : ""}`}>due {due}</span>}
      </span>
    </a>
  );
}

/** Details of a card that depend on its column: the agent, the reason, or the specs it waits for. */
function CardFacts({ card: { agent, waits_for, note, command, column } }: { readonly card: Card }) {
  if (agent !== null) return <AgentLines agent={agent} />;
  if (waits_for.length > 0) return <span class="fact">waits for {waits_for.map(getLastIdPart).join(", ")}</span>;
  if (note === null)
    return column === "needs_you" && command !== null ? <span class="fact code">{command}</span> : null;
  return (
    <>
      <span class="fact note">{note}</span>
      {command === null ? null : <span class="fact code">{command}</span>}
    </>
  );
}

function AgentLines({ agent: { name, model, started_at, tokens, cost_usd, line } }: { readonly agent: CardAgent }) {
  const now = useCurrentTime();
  const facts = [
    name ?? "agent",
    ...(model === null ? [] : [model]),
    formatElapsedTime(Date.parse(started_at), now),
    ...(tokens === null ? [] : [`${formatShortCount(tokens)} tokens`]),
    ...(cost_usd === null ? [] : [formatDollars(cost_usd)]),
  ];
  return (
    <>
      <span class="fact live">{facts.join(" · ")}</span>
      {line === null ? null : <span class="fact code">{stripTerminalSequences(line)}</span>}
    </>
  );
}

/** Returns the last part of a spec's id, which people use as its short name. */
function getLastIdPart(id: string): string {
  return /^\d{4}-\d{2}-\d{2}-[0-9a-z]{3}-(.+)$/.exec(id)?.[1] ?? id;
}

function isOverdue({ due, column }: Card): boolean {
  return due !== null && column !== "done" && due < new Date().toISOString().slice(0, 10);
}

/** Calls `look` now, and whenever the element is scrolled or resized. Returns a function that stops these calls. */
export function addScrollListener(element: HTMLElement, listener: () => void): () => void {
  listener();
  const resized = new ResizeObserver(listener);
  resized.observe(element);
  element.addEventListener("scroll", listener, { passive: true });
  return () => {
    resized.disconnect();
    element.removeEventListener("scroll", listener);
  };
}
