import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Card, COLUMNS, type Column } from "#planner/board/wire.ts";
import { moveCard, undoLast } from "./act.ts";
import { AddDialog } from "./add_dialog.tsx";
import { Banners, MessageView, Tabs } from "./app_parts.tsx";
import { ColumnView } from "./column.tsx";
import { useKeys } from "./keys.ts";
import { KeysDialog } from "./keys_dialog.tsx";
import { sortCards } from "./order.ts";
import { goTo, usePlace } from "./place.ts";
import { SidePage } from "./side_page.tsx";
import { followLog, useView } from "./store.ts";
import { TopBar } from "./top_bar.tsx";
import { WorkDialog } from "./work_dialog.tsx";

type Dialog = { readonly kind: "add" | "keys" } | { readonly kind: "work"; readonly id: string } | undefined;

export function App() {
  const { data, cards, problem, message, isPrinting } = useView();
  const place = usePlace();
  const [dialog, setDialog] = useState<Dialog>();
  const [chosen, setChosen] = useState<string>();
  const [tab, setTab] = useState<Column>("ready");
  const columns = useMemo(
    () => sortCards(cards.values(), place, data?.choices.priorities ?? []),
    [cards, place, data?.choices],
  );
  const search = useRef<HTMLInputElement>(null);
  const work = (card: Card) => setDialog({ kind: "work", id: card.id });
  useKeys({
    columns,
    chosen: chosen === undefined ? undefined : cards.get(chosen),
    choose: (card) => {
      setChosen(card.id);
      setTab(card.column);
    },
    open: (card) => goTo({ spec: card.id }),
    close: () => goTo({ spec: "" }),
    move: (card, to) => moveCard(card, to, work),
    work,
    add: () => setDialog({ kind: "add" }),
    search: () => search.current?.focus(),
    showKeys: () => setDialog({ kind: "keys" }),
    undo: undoLast,
  });
  const title = data === undefined ? "Board · planner" : `${data.project} · board`;
  useEffect(() => {
    document.title = title;
  }, [title]);
  const isOpen = place.spec !== "";
  // The log is followed only where it is shown.
  useEffect(() => {
    if (!isOpen) followLog(undefined);
  }, [isOpen]);
  const leave = () => setDialog(undefined);
  return (
    <div class={`board${isPrinting ? " printing" : ""}`}>
      <TopBar
        data={data}
        cards={cards}
        place={place}
        search={search}
        add={() => setDialog({ kind: "add" })}
        showKeys={() => setDialog({ kind: "keys" })}
      />
      <Banners problem={problem} unreadable={data?.unreadable ?? []} />
      <Tabs columns={columns} tab={tab} choose={setTab} />
      <main aria-label="Columns">
        {COLUMNS.map((column) => (
          <ColumnView
            key={column}
            column={column}
            cards={columns[column]}
            total={data?.columns[column] ?? 0}
            older={column === "done" ? (data?.older ?? 0) : 0}
            isShown={tab === column}
            isWhole={isPrinting}
            isLoading={data === undefined}
            chosen={chosen}
            choose={setChosen}
            drop={(id) => {
              const card = cards.get(id);
              if (card !== undefined) moveCard(card, column, work);
            }}
          />
        ))}
      </main>
      {isOpen ? <SidePage key={place.spec} id={place.spec} card={cards.get(place.spec)} work={work} /> : null}
      {dialog?.kind === "add" ? <AddDialog choices={data?.choices} leave={leave} /> : null}
      {dialog?.kind === "keys" ? <KeysDialog leave={leave} /> : null}
      {dialog?.kind === "work" ? <WorkDialog id={dialog.id} choices={data?.choices} leave={leave} /> : null}
      <MessageView message={message} />
    </div>
  );
}
