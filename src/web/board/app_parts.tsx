import { type BoardProblem, type Card, COLUMNS, type Column } from "#planner/board/wire.ts";
import { type BoardMessage, showMessage } from "./store.ts";

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
