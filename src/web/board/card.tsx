import type { Card, CardAgent } from "#planner/board/wire.ts";
import { formatDollars, formatShortCount } from "#words/figures.ts";
import { formatBoardUrl, readBoardAddress } from "./place.ts";
import { stripTerminalSequences } from "#words/plain_log.ts";
import { formatElapsedTime, useCurrentTime } from "./times.ts";

interface CardProps {
  readonly card: Card;
  readonly isChosen: boolean;
  readonly choose: () => void;
  readonly setDragData: (data: DataTransfer) => void;
}

export function CardView({ card, isChosen, choose, setDragData }: CardProps) {
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
