import { type RefObject, render } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { BoardChoices, BoardPicture, Card, Column, PictureBox, PictureEdge } from "#planner/board/wire.ts";
import { formatCountWithNoun, listSomeNames } from "#words/names.ts";
import { applyTheme } from "../shared/use_theme.ts";
import {
  BOARD_SHORTCUTS,
  type BoardAddress,
  COLUMN_NAMES,
  changeBoardAddress,
  findBoxBeside,
  findCardBeside,
  formatBoardUrl,
  matchesFilter,
  moveCard,
  readBoardAddress,
  runCommand,
  sortCardsByColumn,
  undoLastChange,
  useBoardAddress,
  useBoardShortcuts,
} from "./act.ts";
import { AddDialog, LabelledField, ModalDialog } from "./add_dialog.tsx";
import { BoardBanners, MessageView, ProblemBanner, TopBar } from "./app_parts.tsx";
import { addScrollListener, ColumnsView } from "./columns_view.tsx";
import { SpecSidePage, useLoadedValue } from "./side_page.tsx";
import { boardStore, followBoard, followLog, readPicture, storeKeyFromUrl, useBoardPageState } from "./store.ts";

applyTheme();
storeKeyFromUrl();
const root = document.querySelector("#app");
if (root !== null) {
  const draw = () => render(<App />, root);
  draw();
  // Before the browser lays out a page for printing, every card must be drawn.
  const setPrinting = (isPrinting: boolean) => {
    boardStore.set({ isPrinting });
    draw();
  };
  addEventListener("beforeprint", () => setPrinting(true));
  addEventListener("afterprint", () => setPrinting(false));
  matchMedia("print").addEventListener("change", ({ matches }) => setPrinting(matches));
}
followBoard();

type OpenDialog = { readonly kind: "add" | "keys" } | { readonly kind: "work"; readonly id: string } | undefined;

function App() {
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

function KeysDialog({ leave }: { readonly leave: () => void }) {
  return (
    <ModalDialog title="Keys" leave={leave}>
      <dl class="keys">
        {BOARD_SHORTCUTS.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </ModalDialog>
  );
}

/** Margin that is drawn on each side of the visible part, in pixels. The drawn part moves in steps of this size. */
const MARGIN_PX = 400;
/** Maximum number of ids in a sentence. */
const MAX_IDS = 5;

/** A rectangle of the plane, in pixels. */
interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface PictureViewProps {
  readonly picture: BoardPicture | undefined;
  readonly problem: string | undefined;
  readonly cards: ReadonlyMap<string, Card>;
  /** Number of all specs of the project. */
  readonly total: number;
  readonly place: BoardAddress;
  /** Whether every box is drawn, for printing. */
  readonly isWhole: boolean;
  readonly chosen: string | undefined;
  readonly choose: (id: string) => void;
}

/** Dependency picture: the open specs in layers, each behind the specs it waits for. */
function PictureView(props: PictureViewProps) {
  const { picture, problem, cards, total, choose } = props;
  const isEmpty = picture !== undefined && picture.boxes.length === 0;
  return (
    <main class="picture" aria-label="Dependencies">
      <ProblemBanner problem={problem} />
      {picture === undefined ? (
        <p class="empty">Reading the project</p>
      ) : (
        <PictureSummary picture={picture} total={total} cards={cards} choose={choose} />
      )}
      {isEmpty ? <p class="empty">No spec is open</p> : null}
      {picture === undefined || isEmpty ? null : <PicturePlane {...props} picture={picture} />}
    </main>
  );
}

type PictureSummaryProps = Pick<PictureViewProps, "total" | "cards" | "choose"> & { readonly picture: BoardPicture };

/** Text about the picture: number of specs, omitted specs, and cycles or missing ids. */
function PictureSummary({ picture, total, cards, choose }: PictureSummaryProps) {
  const { boxes, edges, critical_path, cycles, unknown } = picture;
  const open = boxes.length - unknown.length;
  const [start] = critical_path;
  const listShortNames = (ids: readonly string[]) => ids.map((id) => cards.get(id)?.short ?? id);
  const faults = [
    ...cycles
      .slice(0, MAX_IDS)
      .map(
        (cycle) =>
          `Each waits for the next: ${[...listShortNames(cycle), ...listShortNames(cycle.slice(0, 1))].join(" → ")}`,
      ),
    ...(cycles.length > MAX_IDS ? [`${cycles.length - MAX_IDS} more cycles`] : []),
    ...(unknown.length > 0 ? [`Waited for, and no spec: ${listSomeNames(unknown, MAX_IDS)}`] : []),
  ];
  return (
    <>
      <p class="summary">
        <span>
          {formatCountWithNoun(open, "open spec")}, {formatCountWithNoun(edges.length, "dependency", "dependencies")}
          {total > open ? `; not drawn: ${formatCountWithNoun(total - open, "done spec")}` : ""}
        </span>
        {start === undefined ? null : (
          <button type="button" onClick={() => choose(start)}>
            Critical path: {formatCountWithNoun(critical_path.length, "spec")}
          </button>
        )}
      </p>
      {faults.map((fault) => (
        <p class="banner watch" key={fault}>
          {fault}
        </p>
      ))}
    </>
  );
}

/** Draws only the visible boxes and edges, on a plane as large as all of them. */
function PicturePlane({
  picture,
  cards,
  place,
  isWhole,
  chosen,
  choose,
}: PictureViewProps & { readonly picture: BoardPicture }) {
  const { width, height, box: size, boxes, edges } = picture;
  const frame = useRef<HTMLElement>(null);
  const part = useVisiblePart(frame, isWhole ? { left: 0, top: 0, right: width, bottom: height } : undefined);
  useScrollToBox(frame, { picture, chosen });
  // The focused box stays drawn, wherever the picture is scrolled.
  const drawn = boxes.filter((box) => isOverlapping(part, computeBounds([box], size)) || box.id === chosen);
  const lines = edges.filter((edge) => isOverlapping(part, computeBounds(getEdgeBoxes(edge, boxes), size)));
  const [across, down] = [part.right - part.left, part.bottom - part.top];
  // Printing scales the whole width to one page.
  const scale = isWhole ? { zoom: Math.min(1, PAPER_PX / width) } : {};
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by the keyboard
    <section class="frame" ref={frame} tabIndex={0} aria-label="Specs in layers">
      <div class="plane" style={{ width: `${width}px`, height: `${height}px`, ...scale }}>
        <svg
          aria-hidden="true"
          width={across}
          height={down}
          viewBox={`${part.left} ${part.top} ${across} ${down}`}
          style={{ left: `${part.left}px`, top: `${part.top}px` }}
        >
          {lines.map((edge) => (
            <g key={`${edge.from} ${edge.to}`} class={getEdgeClass(edge)}>
              <path d={edge.line} />
              <path class="arrow" d={edge.arrow} />
            </g>
          ))}
        </svg>
        <ul>
          {drawn.map((box) => {
            const card = cards.get(box.id);
            return (
              <SpecBox
                key={box.id}
                box={box}
                size={size}
                card={card}
                isChosen={box.id === chosen}
                isDim={card !== undefined && !matchesFilter(place, card)}
                choose={() => choose(box.id)}
              />
            );
          })}
        </ul>
      </div>
    </section>
  );
}

/** Width of a printed page between its margins, in pixels. */
const PAPER_PX = 700;

function getEdgeClass({ kind, critical, backward }: PictureEdge): string {
  return [
    ...(kind === "depends_on" ? [] : ["member"]),
    ...(critical ? ["critical"] : []),
    ...(backward ? ["back"] : []),
  ].join(" ");
}

function getEdgeBoxes({ from, to }: PictureEdge, boxes: readonly PictureBox[]): readonly PictureBox[] {
  return [from, to].flatMap((at) => boxes[at] ?? []);
}

function computeBounds(boxes: readonly PictureBox[], { width, height }: BoardPicture["box"]): Rectangle {
  const [xs, ys] = [boxes.map(({ x }) => x), boxes.map(({ y }) => y)];
  return {
    left: Math.min(...xs),
    top: Math.min(...ys),
    right: Math.max(...xs) + width,
    bottom: Math.max(...ys) + height,
  };
}

function isOverlapping(part: Rectangle, { left, top, right, bottom }: Rectangle): boolean {
  return left < part.right && right > part.left && top < part.bottom && bottom > part.top;
}

/** Returns the visible part of the plane with a margin. For printing, returns `whole`, the part to draw instead. */
function useVisiblePart(frame: RefObject<HTMLElement | null>, whole: Rectangle | undefined): Rectangle {
  const [seen, setSeen] = useState<Rectangle>({ left: 0, top: 0, right: 1600, bottom: 1200 });
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const roundDown = (length: number) => Math.floor(length / MARGIN_PX) * MARGIN_PX;
    const updateVisible = () => {
      const { scrollLeft, scrollTop, clientWidth, clientHeight } = element;
      const next = {
        left: Math.max(0, roundDown(scrollLeft) - MARGIN_PX),
        top: Math.max(0, roundDown(scrollTop) - MARGIN_PX),
        right: roundDown(scrollLeft + clientWidth) + 2 * MARGIN_PX,
        bottom: roundDown(scrollTop + clientHeight) + 2 * MARGIN_PX,
      };
      setSeen((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    };
    return addScrollListener(element, updateVisible);
  }, [frame]);
  return whole ?? seen;
}

/** Scrolls to the chosen box and focuses it. */
function useScrollToBox(
  frame: RefObject<HTMLElement | null>,
  { picture, chosen }: { readonly picture: BoardPicture; readonly chosen: string | undefined },
): void {
  const last = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (chosen === last.current || !picture.boxes.some(({ id }) => id === chosen)) return;
    last.current = chosen;
    const box = frame.current?.querySelector<HTMLElement>("a.box[aria-current]");
    box?.scrollIntoView({ block: "nearest", inline: "nearest" });
    box?.focus({ preventScroll: true });
  }, [frame, picture, chosen]);
}

/**
 * Reads the dependency picture while it is visible, and again after each change of a spec.
 * @param revision the board's revision in which a spec changed last; undefined before the board is loaded
 */
function usePicture(isShown: boolean, revision: number | undefined) {
  const key = isShown && revision !== undefined ? String(revision) : undefined;
  const { value: picture, problem } = useLoadedValue(key, readPicture);
  return { picture, problem };
}

interface SpecBoxProps {
  readonly box: PictureBox;
  readonly size: BoardPicture["box"];
  /** Card of the spec; undefined if no spec has this id. */
  readonly card: Card | undefined;
  readonly isChosen: boolean;
  /** Whether the spec does not match the filter. */
  readonly isDim: boolean;
  readonly choose: () => void;
}

/** One spec in the dependency picture. A click or Enter opens its page. */
function SpecBox({ box, size, card, isChosen, isDim, choose }: SpecBoxProps) {
  const { id, x, y, critical, in_cycle } = box;
  const marks = [...(critical ? ["critical"] : []), ...(in_cycle ? ["cycle"] : []), ...(isDim ? ["dim"] : [])];
  const place = { left: `${x}px`, top: `${y}px`, width: `${size.width}px`, height: `${size.height}px` };
  if (card === undefined) {
    return (
      <li style={place}>
        <span class={["box", "missing", ...marks].join(" ")}>
          <span class="card-head">
            <code>{id}</code>
          </span>
          <span class="fact">No such spec</span>
        </span>
      </li>
    );
  }
  const { short, status, title, column, waits_for, agent } = card;
  return (
    <li style={place}>
      <a
        class={["box", ...marks].join(" ")}
        data-status={status}
        href={formatBoardUrl({ ...readBoardAddress(), spec: id })}
        aria-current={isChosen ? "true" : undefined}
        data-id={id}
        onFocus={choose}
        title={waits_for.length === 0 ? undefined : `Waits for ${waits_for.join(", ")}`}
      >
        <span class="card-head">
          <code>{short}</code>
          {critical ? <span class="mark">critical path</span> : null}
          {in_cycle ? <span class="mark fault">in a cycle</span> : null}
          <span class={agent === null ? "where" : "where live"}>{agent?.name ?? COLUMN_NAMES[column]}</span>
        </span>
        <span class="title">{title ?? "(no title)"}</span>
      </a>
    </li>
  );
}

interface WorkDialogProps {
  readonly id: string;
  readonly choices: BoardChoices | undefined;
  readonly leave: () => void;
}

/** Dialog that starts an agent, as `planner work` does. */
function WorkDialog({ id, choices, leave }: WorkDialogProps) {
  const [provider, setProvider] = useState("");
  const [model, setModel] = useState("");
  const [budget, setBudget] = useState("");
  const [resumes, setResumes] = useState(false);
  const startAgent = () => {
    leave();
    void runCommand("work", {
      id,
      ...(provider === "" ? {} : { provider }),
      ...(model.trim() === "" ? {} : { model: model.trim() }),
      ...(budget === "" ? {} : { budget: Number(budget) }),
      ...(resumes ? { resume: true } : {}),
    });
  };
  const [usual = "", ...others] = choices?.agents ?? [];
  return (
    <ModalDialog title="Start an agent" leave={leave} submit={{ label: "Start", act: startAgent }}>
      <p class="muted">{id}</p>
      <div class="pair">
        <label class="field">
          <span>Agent</span>
          <select value={provider} onChange={({ currentTarget }) => setProvider(currentTarget.value)}>
            <option value="">{usual} (configured)</option>
            {others.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <LabelledField label="Model" value={model} set={setModel} hint="Empty: as the spec or the settings say" />
        <LabelledField label="Limit in US dollars" type="number" value={budget} set={setBudget} />
      </div>
      <label class="check">
        <input type="checkbox" checked={resumes} onChange={({ currentTarget }) => setResumes(currentTarget.checked)} />
        <span>Continue the agent's session of the last run</span>
      </label>
    </ModalDialog>
  );
}
