import { useRef, useState } from "preact/hooks";
import { CallError } from "../api/client.ts";
import { type Parsed, parseItems } from "../import/parse_items.ts";
import { type Sent, sendItems } from "../import/send_items.ts";
import { count, enumWord } from "../labels.ts";
import { Failure } from "../ui/answer.tsx";
import { Switch } from "../ui/fields.tsx";
import { PageHead } from "../ui/page.tsx";
import { Badge, Card, Figure, Figures } from "../ui/parts.tsx";
import { type Column, Table } from "../ui/table.tsx";

interface Run {
  readonly parsed: Parsed;
  readonly sent: readonly Sent[];
  readonly validateOnly: boolean;
  readonly running: boolean;
  /** Why the rest was not sent. */
  readonly error?: CallError;
}

const EXAMPLE = '{"rack": {"code": "A01", "location": {"site_id": "AMS1", "floor_number": 1}}}';

/** Brings many resources in at once, and tells of each one that is refused. */
export function Import() {
  const [text, setText] = useState("");
  const [validateOnly, setValidateOnly] = useState(false);
  const [run, setRun] = useState<Run>();
  const [unread, setUnread] = useState("");
  const stop = useRef<AbortController | undefined>(undefined);
  const choose = async (file: File): Promise<void> => {
    try {
      // File.text() would replace bytes that are not UTF-8 without a word.
      setText(new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()));
      setUnread("");
    } catch {
      setText("");
      setUnread(`Cannot read "${file.name}" as UTF-8: save it as UTF-8, or use planner dc import --encoding`);
    }
  };
  const start = async (): Promise<void> => {
    const parsed = parseItems(text);
    const controller = new AbortController();
    stop.current = controller;
    let current: Run = { parsed, sent: [], validateOnly, running: true };
    setRun(current);
    const heard = (results: readonly Sent[]) => {
      current = { ...current, sent: [...current.sent, ...results] };
      setRun(current);
    };
    try {
      await sendItems(parsed.items, { validateOnly, signal: controller.signal, heard });
      setRun({ ...current, running: false });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setRun({ ...current, running: false, error });
    }
  };
  return (
    <>
      <PageHead title="Import">
        <p>
          JSON Lines with <code>{EXAMPLE}</code> on each line, or one JSON object of lists.
        </p>
      </PageHead>
      <form
        class="import"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <label class="field">
          <span>File</span>
          <input
            type="file"
            accept=".json,.jsonl,.ndjson,application/json"
            onChange={({ currentTarget: { files } }) => void (files?.[0] && choose(files[0]))}
          />
          {unread !== "" && <span role="alert">{unread}</span>}
        </label>
        <label class="field">
          <span>Or its text</span>
          <textarea
            rows={10}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <div class="filters">
          <Switch label="Check only, write nothing" on={validateOnly} change={setValidateOnly} />
          <button type="submit" class="primary" disabled={text.trim() === "" || run?.running === true}>
            {validateOnly ? "Check" : "Import"}
          </button>
          {run?.running === true ? (
            <button type="button" onClick={() => stop.current?.abort()}>
              Stop
            </button>
          ) : null}
        </div>
      </form>
      {run === undefined ? null : <Result run={run} />}
    </>
  );
}

interface Problem {
  readonly key: string;
  readonly line: number;
  readonly what: string;
  readonly message: string;
}

const PROBLEMS: readonly Column<Problem>[] = [
  { name: "Line", numeric: true, cell: ({ line }) => line },
  { name: "Item", cell: ({ what }) => what },
  { name: "Why it was refused", cell: ({ message }) => message },
];

function Result({ run: { parsed, sent, validateOnly, running, error } }: { readonly run: Run }) {
  const failed = sent.filter(({ error }) => error !== "");
  const tally = new Map<string, number>();
  for (const { outcome } of sent) tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
  const problems = [
    ...parsed.unreadable.map(({ line, message }) => ({ key: `line ${line} ${message}`, line, what: "", message })),
    ...failed.map(({ item, error }) => ({
      key: `${item.kind} ${item.line}`,
      line: item.line,
      what: `${enumWord(item.kind.toUpperCase(), "")} ${named(item.resource)}`,
      message: error,
    })),
  ];
  return (
    <>
      <div role="status" aria-live="polite">
        <progress max={parsed.items.length} value={sent.length} aria-label="Items sent" />
        <p>
          {running ? `${count(sent.length)} of ${count(parsed.items.length)} sent. ` : ""}
          {error !== undefined && sent.length > 0
            ? `The import ended after ${count(sent.length)} of ${count(parsed.items.length)} items. `
            : ""}
          {!running && error === undefined && problems.length === 0 ? (
            <Badge tone="ok">{validateOnly ? "Everything would be taken" : "Everything was taken"}</Badge>
          ) : null}
          {problems.length === 0 ? null : <Badge tone="fault">{count(problems.length)} refused</Badge>}
        </p>
      </div>
      {error === undefined ? null : <Failure error={error} />}
      <Figures>
        {[...tally].map(([outcome, number]) => (
          <Figure key={outcome} label={enumWord(outcome, "OUTCOME")} value={count(number)} />
        ))}
      </Figures>
      {problems.length === 0 ? null : (
        <Card title="Refused">
          <Table caption="Refused items" columns={PROBLEMS} rows={problems} rowKey={({ key }) => key} empty="" />
        </Card>
      )}
    </>
  );
}

function named(resource: Readonly<Record<string, unknown>>): string {
  const { code, a, b } = resource;
  if (typeof code === "string") return code;
  return [a, b].map((end) => Object.values((end as object | undefined) ?? {}).join(" ")).join(" – ");
}
