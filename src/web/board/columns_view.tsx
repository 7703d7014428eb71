import { type BoardData, type Card, COLUMNS, type Column } from "#planner/board/wire.ts";
import { moveCard } from "./act.ts";
import { ColumnTabs } from "./app_parts.tsx";
import { ColumnView } from "./column.tsx";

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
