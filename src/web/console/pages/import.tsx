import { useMemo, useState } from "preact/hooks";
import { formatCount } from "#words/figures.ts";
import { canWrite, useSession } from "../api/client.ts";
import {
  type ColumnMapping,
  type CsvTable,
  guessResourceKind,
  guessTargetPath,
  LARGE_TEXT_CHARS,
  listColumnTargets,
  parseRows,
  parseTable,
  readUtf8File,
  replaceCsvCell,
} from "../import/columns.ts";
import { ImportResult } from "../import/import_result.tsx";
import { ImportSteps, listBlockingFields, MappingTable, type StepName } from "../import/mapping.tsx";
import { type ImportItem, type ImportKind, parseImportItems, replaceItemField } from "../import/parse_items.ts";
import { countRefusedItems, type ImportRun, isRunDone, listAcceptedItems, useImportRunner } from "../import/use_run.ts";
import { formatQuantity } from "../labels.ts";
import { PageHead } from "../ui/page.tsx";
import { EmptyText } from "../ui/parts.tsx";

const JSON_LINE_EXAMPLE = '{"rack": {"code": "A01", "location": {"site_id": "AMS1", "floor_number": 1}}}';

function guessColumnMapping(table: CsvTable, kind: ImportKind): ColumnMapping {
  const targets = listColumnTargets(kind);
  return { kind, columns: table.headers.map((header) => guessTargetPath(header, targets)), defaults: {} };
}

/** Page that imports many resources at once, for people who may write. */
export function ImportPage() {
  const { reply: session } = useSession();
  if (session === undefined || canWrite(session)) return <ImportWizard />;
  return (
    <>
      <PageHead title="Import" />
      <EmptyText>Your role may read only. An import needs the role writer or admin.</EmptyText>
    </>
  );
}

function ImportWizard() {
  const [step, setStep] = useState<StepName>("map");
  const source = useImportSource();
  const { text, table, mapping, parse } = source;
  const runner = useImportRunner();
  const { run, check, recheck, write, stop, continueRun } = runner;
  const blocking = mapping === undefined ? [] : listBlockingFields(mapping);
  // Only checked data is written, so a change of the text or of a column discards the check.
  const changeSource = (change: () => void) => {
    runner.discardRun();
    change();
  };
  const startCheck = () => {
    if (blocking.length > 0 || text.trim() === "") return;
    setStep("check");
    if (run === undefined || run.step === "write") void check(parse(text));
  };
  const startWrite = () => {
    setStep("write");
    void write();
  };
  const correctCell = (item: ImportItem, key: string, value: string) => {
    const row = table?.rows.find(({ line }) => line === item.line);
    const next =
      table === undefined || row === undefined
        ? replaceItemField(text, item, key, value)
        : replaceCsvCell(text, table, row, Number(key), value);
    source.setText(next);
    void recheck(parse(next));
  };
  const shown = run === undefined ? "map" : step;
  return (
    <>
      <PageHead title="Import" />
      <ImportSteps
        now={shown}
        open={{
          map: run?.step !== "write" || !run.running,
          check: run?.step === "check",
          write: run?.step === "write",
        }}
        go={setStep}
      />
      {shown === "map" ? (
        <MappingStep
          source={source}
          changed={changeSource}
          isReady={text.trim() !== "" && blocking.length === 0}
          next={startCheck}
        />
      ) : null}
      {shown !== "map" && run !== undefined ? (
        <>
          <ImportResult run={run} goOn={continueRun} table={table} {...(run.step === "check" && { correctCell })} />
          <StepButtons
            run={run}
            go={setStep}
            stop={stop}
            write={startWrite}
            again={() => changeSource(() => source.setText(""))}
          />
        </>
      ) : null}
    </>
  );
}

/** Buttons that lead from a check or a write to the next step. */
function StepButtons(props: {
  readonly run: ImportRun;
  readonly go: (step: StepName) => void;
  readonly stop: () => void;
  readonly write: () => void;
  readonly again: () => void;
}) {
  const { run, go, stop, write, again } = props;
  const good = isRunDone(run) && run.step === "check" ? listAcceptedItems(run).length : 0;
  return (
    <div class="filters import-buttons">
      {run.running ? (
        <button type="button" onClick={stop}>
          Stop
        </button>
      ) : (
        <button type="button" onClick={() => go("map")}>
          Back to the file
        </button>
      )}
      {good > 0 ? (
        <button type="button" class="primary" onClick={write}>
          Write {countRefusedItems(run) > 0 ? `the other ${formatCount(good)}` : formatQuantity(good, "item")}
        </button>
      ) : null}
      {isRunDone(run) && run.step === "write" ? (
        <button type="button" class="primary" onClick={again}>
          Import another file
        </button>
      ) : null}
    </div>
  );
}

interface ImportSource {
  readonly text: string;
  readonly setText: (text: string) => void;
  /** Table in the text; undefined if the text is JSON. */
  readonly table: CsvTable | undefined;
  readonly mapping: ColumnMapping | undefined;
  readonly setMapping: (mapping: ColumnMapping) => void;
  readonly parse: (text: string) => ReturnType<typeof parseImportItems>;
}

/** Stores the text of a file and the mapping of its columns. The mapping stays as long as the columns are the same. */
function useImportSource(): ImportSource {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<{ readonly headers: string; readonly mapping: ColumnMapping }>();
  const table = useMemo(() => parseTable(text), [text]);
  const headers = JSON.stringify(table?.headers);
  const mapping = useMemo(() => {
    if (table === undefined || chosen?.headers === headers) return table && chosen?.mapping;
    return guessColumnMapping(table, guessResourceKind(table.headers));
  }, [table, headers, chosen]);
  const parse = (whole: string) => {
    const rows = parseTable(whole);
    return rows === undefined || mapping === undefined
      ? parseImportItems(whole)
      : parseRows(rows, mapping.kind, mapping.columns, mapping);
  };
  return { text, setText, table, mapping, setMapping: (next) => setChosen({ headers, mapping: next }), parse };
}

/** First step: choose a file and assign its columns to fields. */
function MappingStep(props: {
  readonly source: ImportSource;
  /** Applies a change to the data that is to be imported. */
  readonly changed: (change: () => void) => void;
  readonly isReady: boolean;
  readonly next: () => void;
}) {
  const { source, changed, isReady, next } = props;
  const { text, table, mapping } = source;
  const [readError, setReadError] = useState("");
  const setText = (whole: string) => changed(() => source.setText(whole));
  const set = (to: ColumnMapping) => changed(() => source.setMapping(to));
  const readFile = async (file: File): Promise<void> => {
    try {
      setText(await readUtf8File(file));
      setReadError("");
    } catch {
      setText("");
      setReadError(`Cannot read "${file.name}" as UTF-8: save it as UTF-8, or use planner dc import --encoding`);
    }
  };
  return (
    <form
      class="import"
      onSubmit={(event) => {
        event.preventDefault();
        next();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const file = event.dataTransfer?.files[0];
        if (file !== undefined) void readFile(file);
      }}
    >
      <p>
        CSV or a table copied from a spreadsheet, JSON Lines with <code>{JSON_LINE_EXAMPLE}</code> on each line, or one
        JSON object of lists.
      </p>
      <TextSource text={text} setText={setText} unread={readError} choose={readFile} />
      {table === undefined || mapping === undefined ? null : (
        <MappingTable
          table={table}
          mapping={mapping}
          setKind={(kind) => set(guessColumnMapping(table, kind))}
          setColumn={(index, path) => set({ ...mapping, columns: mapping.columns.with(index, path) })}
          setDefaults={(defaults) => set({ ...mapping, defaults })}
          setDecimal={(decimal) => set({ ...mapping, decimal })}
        />
      )}
      <div class="filters">
        <button type="submit" class="primary" disabled={!isReady}>
          Check
        </button>
      </div>
    </form>
  );
}

/** Input for a file, or for text that is typed or pasted. Large text is summarised instead of shown. */
function TextSource(props: {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly unread: string;
  readonly choose: (file: File) => Promise<void>;
}) {
  const { text, setText, unread, choose } = props;
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
      {text.length > LARGE_TEXT_CHARS ? (
        <p>
          {formatCount(text.length)} characters are ready to import.{" "}
          <button type="button" onClick={() => setText("")}>
            Clear
          </button>
        </p>
      ) : (
        <label class="field">
          <span>Or its text</span>
          <textarea
            rows={text === "" ? 10 : 5}
            spellcheck={false}
            value={text}
            onPaste={(event) => {
              const pasted = event.clipboardData?.getData("text/plain") ?? "";
              if (pasted.length <= LARGE_TEXT_CHARS) return;
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
