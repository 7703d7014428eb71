import { useMemo, useState } from "preact/hooks";
import { count } from "#words/figures.ts";
import { mayWrite, useSession } from "../api/session.ts";
import { guessColumn, guessKind, itemsOf, missingFields, targetsOf } from "../import/columns.ts";
import type { CsvTable } from "../import/csv.ts";
import { ImportResult } from "../import/import_result.tsx";
import { type Mapping, MappingTable } from "../import/mapping.tsx";
import { type Kind, parseItems } from "../import/parse_items.ts";
import { LARGE, readText, tableOf } from "../import/source.ts";
import { useRun } from "../import/use_run.ts";
import { PageHead } from "../ui/page.tsx";
import { Empty } from "../ui/parts.tsx";

const EXAMPLE = '{"rack": {"code": "A01", "location": {"site_id": "AMS1", "floor_number": 1}}}';

function guessed(table: CsvTable, kind: Kind): Mapping {
  const targets = targetsOf(kind);
  return { kind, columns: table.headers.map((header) => guessColumn(header, targets)) };
}

/** Brings many resources in at once, for those who may write. */
export function Import() {
  const { reply: session } = useSession();
  if (session === undefined || mayWrite(session)) return <Wizard />;
  return (
    <>
      <PageHead title="Import" />
      <Empty>Your role may read only. An import needs the role writer or admin.</Empty>
    </>
  );
}

function Wizard() {
  const [text, putText] = useState("");
  const [unread, setUnread] = useState("");
  const [chosen, putChosen] = useState<{ readonly table: CsvTable; readonly mapping: Mapping }>();
  const running = useRun();
  const { run, check, stop, forget } = running;
  // What is written is what was checked: another text or column needs another check.
  const setText = (next: string) => {
    forget();
    putText(next);
  };
  const setChosen = (next: { readonly table: CsvTable; readonly mapping: Mapping }) => {
    forget();
    putChosen(next);
  };
  const table = useMemo(() => tableOf(text), [text]);
  const mapping = useMemo(() => {
    if (table === undefined || chosen?.table === table) return chosen?.mapping;
    return guessed(table, guessKind(table.headers));
  }, [table, chosen]);
  const choose = async (file: File): Promise<void> => {
    try {
      setText(await readText(file));
      setUnread("");
    } catch {
      setText("");
      setUnread(`Cannot read "${file.name}" as UTF-8: save it as UTF-8, or use planner dc import --encoding`);
    }
  };
  const missing = mapping === undefined ? [] : missingFields(mapping.kind, mapping.columns);
  const submit = () => {
    if (missing.length > 0) return;
    const isTable = table !== undefined && mapping !== undefined;
    const parsed = isTable ? itemsOf(table, mapping.kind, mapping.columns) : parseItems(text);
    void check(parsed);
  };
  return (
    <>
      <PageHead title="Import">
        <p>
          CSV or a table copied from a spreadsheet, JSON Lines with <code>{EXAMPLE}</code> on each line, or one JSON
          object of lists.
        </p>
      </PageHead>
      <form
        class="import"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          const file = event.dataTransfer?.files[0];
          if (file !== undefined) void choose(file);
        }}
      >
        <Source text={text} setText={setText} unread={unread} choose={choose} />
        {table === undefined || mapping === undefined ? null : (
          <MappingTable
            table={table}
            mapping={mapping}
            setKind={(kind) => setChosen({ table, mapping: guessed(table, kind) })}
            setColumn={(index, path) =>
              setChosen({ table, mapping: { ...mapping, columns: mapping.columns.with(index, path) } })
            }
          />
        )}
        <div class="filters">
          <button
            type="submit"
            class={run === undefined ? "primary" : ""}
            disabled={text.trim() === "" || missing.length > 0 || run?.running === true}
          >
            Check
          </button>
          {run?.running === true ? (
            <button type="button" onClick={stop}>
              Stop
            </button>
          ) : null}
        </div>
      </form>
      <ImportResult running={running} />
    </>
  );
}

/** A file, or text that is typed or pasted; much of it is counted instead of shown. */
function Source({
  text,
  setText,
  unread,
  choose,
}: {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly unread: string;
  readonly choose: (file: File) => Promise<void>;
}) {
  return (
    <>
      <label class="field">
        <span>File, or drop one here</span>
        <input
          type="file"
          accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,text/csv,application/json"
          onChange={({ currentTarget: { files } }) => void (files?.[0] && choose(files[0]))}
        />
        {unread !== "" && <span role="alert">{unread}</span>}
      </label>
      {text.length > LARGE ? (
        <p>
          {count(text.length)} characters are ready to import.{" "}
          <button type="button" onClick={() => setText("")}>
            Clear
          </button>
        </p>
      ) : (
        <label class="field">
          <span>Or its text</span>
          <textarea
            rows={10}
            spellcheck={false}
            value={text}
            onPaste={(event) => {
              const pasted = event.clipboardData?.getData("text/plain") ?? "";
              if (pasted.length <= LARGE) return;
              event.preventDefault();
              setText(pasted);
            }}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
      )}
    </>
  );
}
