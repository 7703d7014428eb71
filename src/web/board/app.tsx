import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { BoardChoices, Card, Column } from "#planner/board/wire.ts";
import { moveCard, undoLastChange } from "./act.ts";
import { AddDialog } from "./add_dialog.tsx";
import { BoardBanners, MessageView } from "./app_parts.tsx";
import { ColumnsView } from "./columns_view.tsx";
import { useBoardShortcuts } from "./keys.ts";
import { KeysDialog } from "./keys_dialog.tsx";
import { sortCardsByColumn } from "./order.ts";
import { PictureView, usePicture } from "./picture.tsx";
import { changeBoardAddress, useBoardAddress } from "./place.ts";
import { SpecSidePage } from "./side_page.tsx";
import { followLog, useBoardPageState } from "./store.ts";
import { TopBar } from "./top_bar.tsx";
import { findBoxBeside, findCardBeside } from "./walk.ts";
import { WorkDialog } from "./work_dialog.tsx";

type OpenDialog = { readonly kind: "add" | "keys" } | { readonly kind: "work"; readonly id: string } | undefined;

export function App() {
  const { data, cards, problem, message, isPrinting, specsRevision } = useBoardPageState();
  const place = useBoardAddress();
  const isPicture = place.view === "picture";
  const pictureState = usePicture(isPicture, specsRevision);
  const [dialog, setDialog] = useState<OpenDialog>();
  const [chosen, setChosen] = useState<string>();
  const [tab, setTab] = useState<Column>("ready");
  const columns = useMemo(
    () => sortCardsByColumn(cards.values(), place, data?.choices.priorities ?? []),
    [cards, place, data?.choices],
  );
  const search = useRef<HTMLInputElement>(null);
  const work = (card: Card) => setDialog({ kind: "work", id: card.id });
  const chosenCard = chosen === undefined ? undefined : cards.get(chosen);
  const changeView = () => changeBoardAddress({ view: isPicture ? "" : "picture" });
  useBoardShortcuts({
    chosen: chosenCard,
    findBeside: (step) =>
      isPicture
        ? pictureState.picture && cards.get(findBoxBeside(pictureState.picture, chosen, step)?.id ?? "")
        : findCardBeside(columns, chosenCard, step),
    chooseCard: (card) => {
      setChosen(card.id);
      setTab(card.column);
    },
    openCard: (card) => changeBoardAddress({ spec: card.id }),
    closeSpec: () => changeBoardAddress({ spec: "" }),
    moveCard: (card, to) => moveCard(card, to, work),
    startWork: work,
    addSpec: () => setDialog({ kind: "add" }),
    focusSearch: () => search.current?.focus(),
    changeView,
    showKeys: () => setDialog({ kind: "keys" }),
    undoChange: undoLastChange,
  });
  const title = data === undefined ? "Board · planner" : `${data.project} · board`;
  useEffect(() => {
    document.title = title;
  }, [title]);
  const shown = { cards, chosen, choose: setChosen, isWhole: isPrinting };
  const isOpen = place.spec !== "";
  // The log is followed only while it is visible.
  useEffect(() => {
    if (!isOpen) followLog(undefined);
  }, [isOpen]);
  return (
    <div class={`board${isPrinting ? " printing" : ""}`}>
      <TopBar
        data={data}
        cards={cards}
        place={place}
        search={search}
        isPicture={isPicture}
        changeView={changeView}
        add={() => setDialog({ kind: "add" })}
        showKeys={() => setDialog({ kind: "keys" })}
      />
      <BoardBanners problem={problem} unreadable={data?.unreadable ?? []} />
      {isPicture ? (
        <PictureView {...shown} {...pictureState} total={data?.counts["total"] ?? 0} place={place} />
      ) : (
        <ColumnsView {...shown} columns={columns} data={data} tab={tab} chooseTab={setTab} work={work} />
      )}
      {isOpen ? <SpecSidePage key={place.spec} id={place.spec} card={cards.get(place.spec)} work={work} /> : null}
      <BoardDialogs dialog={dialog} choices={data?.choices} leave={() => setDialog(undefined)} />
      <MessageView message={message} />
    </div>
  );
}

interface BoardDialogsProps {
  readonly dialog: OpenDialog;
  readonly choices: BoardChoices | undefined;
  readonly leave: () => void;
}

/** Shows the board's open dialog. The page of a spec shows the dialogs about that spec. */
function BoardDialogs({ dialog, choices, leave }: BoardDialogsProps) {
  switch (dialog?.kind) {
    case "add":
      return <AddDialog choices={choices} leave={leave} />;
    case "keys":
      return <KeysDialog leave={leave} />;
    case "work":
      return <WorkDialog id={dialog.id} choices={choices} leave={leave} />;
    case undefined:
      return null;
  }
}
