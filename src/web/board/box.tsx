import type { BoardPicture, Card, PictureBox } from "#planner/board/wire.ts";
import { COLUMN_NAMES } from "./order.ts";
import { formatBoardUrl, readBoardAddress } from "./place.ts";

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
export function SpecBox({ box, size, card, isChosen, isDim, choose }: SpecBoxProps) {
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
