import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Card, Column } from "#planner/board/wire.ts";
import { CardView } from "./card.tsx";
import { addScrollListener } from "./follow_scroll.ts";
import { COLUMN_DESCRIPTIONS, COLUMN_NAMES } from "./order.ts";

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

export function ColumnView(props: ColumnProps) {
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
