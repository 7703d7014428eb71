import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { BoardPicture, Card, PictureBox, PictureEdge } from "#planner/board/wire.ts";
import { formatCountWithNoun, listSomeNames } from "#words/names.ts";
import { readPicture } from "./api.ts";
import { ProblemBanner } from "./app_parts.tsx";
import { SpecBox } from "./box.tsx";
import { addScrollListener } from "./follow_scroll.ts";
import { type BoardAddress, matchesFilter } from "./place.ts";
import { useLoadedValue } from "./use_loaded.ts";

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
export function PictureView(props: PictureViewProps) {
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
export function usePicture(isShown: boolean, revision: number | undefined) {
  const key = isShown && revision !== undefined ? String(revision) : undefined;
  const { value: picture, problem } = useLoadedValue(key, readPicture);
  return { picture, problem };
}
