import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ImportKind } from "#dc/operations/import/wire.ts";
import { formatCount } from "#words/figures.ts";
import { type CallError, canWrite, convertToCallError, useSession } from "../api/client.ts";
import {
  applyCorrections,
  type ColumnMapping,
  countAcceptedItems,
  guessResourceKind,
  guessTargetPath,
  type ImportInput,
  type ImportRun,
  isSheetText,
  LARGE_TEXT_CHARS,
  listColumnTargets,
  type RefusedRow,
  readUtf8File,
  type Sheet,
  sendImport,
  useImportRunner,
} from "../import/import_file.ts";
import { ImportResult } from "../import/import_result.tsx";
import { ImportSteps, listBlockingFields, MappingTable, type StepName } from "../import/mapping.tsx";
import { formatQuantity } from "../labels.ts";
import { FailureView, PageHead } from "../ui/page.tsx";
import { EmptyText } from "../ui/parts.tsx";

const JSON_LINE_EXAMPLE = '{"rack": {"code": "A01", "location": {"site_id": "AMS1", "floor_number": 1}}}';

function guessColumnMapping({ headings }: Sheet, kind: ImportKind): ColumnMapping {
  const targets = listColumnTargets(kind);
  return { kind, columns: headings.map((heading) => guessTargetPath(heading, targets)), defaults: {} };
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
  const { sheet, input } = source;
  const runner = useImportRunner();
  const { run, check, recheck, write, stop, continueRun } = runner;
  const corrections = useRef({ base: "", rows: new Map<RefusedRow, Map<string, string>>() });
  const isReady =
    input !== undefined && (input.mapping === undefined || listBlockingFields(input.mapping).length === 0);
  // Only checked data is written, so a change of the text or of a column discards the check.
  const changeSource = (change: () => void) => {
    runner.discardRun();
    change();
  };
  const startCheck = () => {
    if (input === undefined || !isReady) return;
    setStep("check");
    if (run === undefined || run.step === "write" || run.error !== undefined) void check(input);
  };
  const startWrite = () => {
    setStep("write");
    void write();
  };
  const correctCell = (row: RefusedRow, key: string, value: string) => {
    if (run === undefined) return;
    // Rows are those of the text before all corrections that are not checked yet.
    if (corrections.current.base !== run.base) corrections.current = { base: run.base, rows: new Map() };
    const { rows } = corrections.current;
    rows.set(row, (rows.get(row) ?? new Map()).set(key, value));
    const next = applyCorrections(run.base, rows, sheet?.delimiter ?? ",");
    source.setText(next);
    void recheck({ ...run.input, text: next });
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
        <MappingStep source={source} changed={changeSource} isReady={isReady} failure={run?.error} next={startCheck} />
      ) : null}
      {shown !== "map" && run !== undefined ? (
        <>
          <ImportResult run={run} goOn={continueRun} sheet={sheet} {...(run.step === "check" && { correctCell })} />
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
  const good = run.isDone && run.step === "check" ? countAcceptedItems(run) : 0;
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
          Write {run.refused.length > 0 ? `the other ${formatCount(good)}` : formatQuantity(good, "item")}
        </button>
      ) : null}
      {run.isDone && run.step === "write" ? (
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
  /** Sheet that the text contains; that of the text before while the service describes it, and absent for JSON. */
  readonly sheet: Sheet | undefined;
  readonly mapping: ColumnMapping | undefined;
  readonly setMapping: (mapping: ColumnMapping) => void;
  /** Text with its mapping; undefined until the sheet is described, and for an empty text. */
  readonly input: ImportInput | undefined;
  /** Why the sheet cannot be read. */
  readonly error: CallError | undefined;
}

/** Stores the text of a file and the mapping of its columns. The mapping stays as long as the columns are the same. */
function useImportSource(): ImportSource {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<{ readonly headings: string; readonly mapping: ColumnMapping }>();
  const { sheet, error, isCurrent } = useSheet(text);
  const headings = JSON.stringify(sheet?.headings);
  const mapping = useMemo(() => {
    if (sheet === undefined || chosen?.headings === headings) return sheet && chosen?.mapping;
    return guessColumnMapping(sheet, guessResourceKind(sheet.headings));
  }, [sheet, headings, chosen]);
  const isReady = text.trim() !== "" && (isSheetText(text) ? isCurrent && mapping !== undefined : true);
  const input = isReady ? { text, mapping } : undefined;
  return { text, setText, sheet, mapping, setMapping: (next) => setChosen({ headings, mapping: next }), input, error };
}

/** Milliseconds after the last typed character before the service describes the sheet. */
const DESCRIPTION_DELAY_MS = 150;

interface SheetState {
  readonly text: string;
  readonly sheet?: Sheet | undefined;
  readonly error?: CallError;
}

/** Lets the service describe the sheet that a text contains. */
function useSheet(text: string) {
  const [state, setState] = useState<SheetState>({ text: "" });
  useEffect(() => {
    if (!isSheetText(text)) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const describe = async () => {
      let sheet: Sheet | undefined;
      const reportEvents: Parameters<typeof sendImport>[2]["reportEvents"] = (events) => {
        sheet = events.find((one) => one.event === "sheet") ?? sheet;
      };
      const next = await sendImport(text, undefined, { isCheck: true, signal, reportEvents }).then(
        () => ({ text, sheet }),
        (error: unknown) => ({ text, error: convertToCallError(error) }),
      );
      if (!signal.aborted) setState(next);
    };
    const timer = setTimeout(() => void describe(), DESCRIPTION_DELAY_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text]);
  if (!isSheetText(text)) return { sheet: undefined, error: undefined, isCurrent: false };
  return { sheet: state.sheet, error: state.error, isCurrent: state.text === text };
}

/** First step: choose a file and assign its columns to fields. */
function MappingStep(props: {
  readonly source: ImportSource;
  /** Applies a change to the data that is to be imported. */
  readonly changed: (change: () => void) => void;
  readonly isReady: boolean;
  /** Error of the last check. */
  readonly failure: CallError | undefined;
  readonly next: () => void;
}) {
  const { source, changed, isReady, failure, next } = props;
  const { text, sheet, mapping, error } = source;
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
      {error === undefined ? null : <FailureView error={error} />}
      {sheet === undefined || mapping === undefined ? null : (
        <MappingTable
          sheet={sheet}
          mapping={mapping}
          problems={(failure?.violations ?? []).map(({ field, description: message }) => ({ field, message }))}
          setKind={(kind) => set(guessColumnMapping(sheet, kind))}
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
