import type { Ref } from "preact";
import { useMemo } from "preact/hooks";
import { type BoardData, type BoardProblem, type Card, COLUMNS, type Column } from "#planner/board/wire.ts";
import { Icon } from "../shared/marks.tsx";
import { chooseTheme, useTheme } from "../shared/use_theme.ts";
import { type BoardAddress, changeBoardAddress } from "./act.ts";
import { type BoardMessage, showMessage } from "./store.ts";

interface TopBarProps {
  readonly data: BoardData | undefined;
  readonly cards: ReadonlyMap<string, Card>;
  readonly place: BoardAddress;
  readonly search: Ref<HTMLInputElement>;
  readonly isPicture: boolean;
  readonly changeView: () => void;
  readonly add: () => void;
  readonly showKeys: () => void;
}

export function TopBar({ data, cards, place, search, isPicture, changeView, add, showKeys }: TopBarProps) {
  const theme = useTheme();
  const values = useMemo(() => {
    const found = [...cards.values()];
    const sortUniqueNames = (names: Iterable<string | null | undefined>) =>
      [...new Set(names)].filter((name): name is string => Boolean(name)).sort();
    return {
      label: sortUniqueNames(found.flatMap(({ labels }) => labels)),
      assignee: sortUniqueNames(found.map(({ assignee }) => assignee)),
      agent: sortUniqueNames(found.map(({ agent }) => agent?.name)),
    };
  }, [cards]);
  return (
    <header class="bar">
      <h1>{data?.project ?? "Board"}</h1>
      <span class="total">{data === undefined ? "" : `${data.counts["total"] ?? 0} specs`}</span>
      <div class="finders">
        <input
          ref={search}
          type="search"
          aria-label="Search id, title and labels"
          placeholder="Search  /"
          value={place.text}
          onInput={({ currentTarget }) => changeBoardAddress({ text: currentTarget.value })}
        />
        {(["label", "assignee", "agent"] as const).map((part) =>
          values[part].length === 0 && place[part] === "" ? null : (
            <select
              key={part}
              aria-label={`Filter by ${part}`}
              value={place[part]}
              onChange={({ currentTarget }) => changeBoardAddress({ [part]: currentTarget.value })}
            >
              <option value="">Any {part}</option>
              {[...new Set([...values[part], ...(place[part] === "" ? [] : [place[part]])])].map((value) => (
                <option key={value}>{value}</option>
              ))}
            </select>
          ),
        )}
      </div>
      <button type="button" aria-pressed={isPicture} onClick={changeView}>
        Dependencies <kbd>D</kbd>
      </button>
      <button type="button" class="primary" onClick={add}>
        Add <kbd>A</kbd>
      </button>
      <button
        type="button"
        class="quiet square"
        aria-label={theme === "dark" ? "Light colours" : "Dark colours"}
        onClick={() => chooseTheme(theme === "dark" ? "light" : "dark")}
      >
        <Icon name={theme === "dark" ? "light" : "dark"} />
      </button>
      <button type="button" class="quiet square" aria-label="Keys" onClick={showKeys}>
        <Icon name="help" />
      </button>
    </header>
  );
}

interface BoardBannersProps {
  readonly problem: string | undefined;
  readonly unreadable: readonly BoardProblem[];
}

/** Banner with an error message; hidden without one. */
export function ProblemBanner({ problem }: { readonly problem: string | undefined }) {
  return problem === undefined ? null : (
    <p class="banner fault" role="alert">
      {problem}
    </p>
  );
}

/** Banners for a lost connection and for spec files that cannot be read. */
export function BoardBanners({ problem, unreadable }: BoardBannersProps) {
  return (
    <>
      <ProblemBanner problem={problem} />
      {unreadable.map(({ file, line, column, message }) => (
        <p class="banner watch" key={file}>
          <strong>
            {file}
            {line === null ? "" : `:${line}:${column}`}
          </strong>
          : {message}
        </p>
      ))}
    </>
  );
}

/** Short column names: all five fit side by side on a phone. */
const SHORT_COLUMN_NAMES: Readonly<Record<Column, string>> = {
  blocked: "Blocked",
  ready: "Ready",
  working: "Work",
  needs_you: "You",
  done: "Done",
};

interface ColumnTabsProps {
  readonly columns: Readonly<Record<Column, readonly Card[]>>;
  readonly tab: Column;
  readonly choose: (column: Column) => void;
}

/** Tabs that choose the visible column in a narrow window. */
export function ColumnTabs({ columns, tab, choose }: ColumnTabsProps) {
  return (
    <nav class="tabs" aria-label="Columns">
      {COLUMNS.map((column) => (
        <button type="button" key={column} aria-pressed={tab === column} onClick={() => choose(column)}>
          {SHORT_COLUMN_NAMES[column]} {columns[column].length}
        </button>
      ))}
    </nav>
  );
}

/** Message about the result of the last change. */
export function MessageView({ message }: { readonly message: BoardMessage | undefined }) {
  return (
    <div class="message" role={message?.tone === "fault" ? "alert" : "status"}>
      {message === undefined ? null : (
        <p class={message.tone}>
          <span>{message.text}</span>
          {message.undo === undefined ? null : (
            <button type="button" onClick={message.undo}>
              Undo <kbd>U</kbd>
            </button>
          )}
          <button type="button" class="quiet" onClick={() => showMessage(undefined)}>
            Dismiss
          </button>
        </p>
      )}
    </div>
  );
}
