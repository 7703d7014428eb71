import { useState } from "preact/hooks";
import type { BranchDifference, NamedSpec, SpecPage, SpecPageCriterion } from "#planner/board/wire.ts";
import { formatDollars, formatShortCount } from "#words/figures.ts";
import { stripTerminalSequences } from "#words/plain_log.ts";
import { formatBoardUrl, readBoardAddress, runCommand } from "./act.ts";
import { describeError, formatElapsedTime, formatLocalTime, readFileDifference } from "./store.ts";

/** List of criteria with their checks. Ticking a criterion that has a check runs the check first. */
export function CriteriaList({ spec, again }: { readonly spec: SpecPage; readonly again: () => void }) {
  const { id, seen, criteria, dropped, archived, worktree } = spec;
  if (criteria.length + dropped.length === 0) return null;
  const tickCriterion = (number: number, checked: boolean) =>
    void runCommand("check", { id, criterion: number, checked }, { seen: { seen } }).then(again);
  return (
    <section>
      <h3>
        Criteria{" "}
        <span class="muted">
          {criteria.filter(({ checked }) => checked).length} of {criteria.length}
        </span>
      </h3>
      {worktree === null ? null : <p class="hint">As in branch {worktree.branch}</p>}
      <ul class="criteria-list">
        {criteria.map((one) => (
          <li key={one.label}>
            <label class="check">
              <input
                type="checkbox"
                checked={one.checked}
                disabled={archived || worktree !== null}
                onChange={({ currentTarget }) => {
                  tickCriterion(one.number, currentTarget.checked);
                  // The box stays as it was until the file contains the change.
                  currentTarget.checked = one.checked;
                }}
              />
              <span>{one.label}</span>
            </label>
            <CheckLine id={id} criterion={one} />
          </li>
        ))}
        {dropped.map(({ label, reason }) => (
          <li key={label} class="muted">
            Dropped: {label} – {reason}
          </li>
        ))}
      </ul>
    </section>
  );
}

function CheckLine({ id, criterion }: { readonly id: string; readonly criterion: SpecPageCriterion }) {
  const { verify, accepted, mark, explanation, result } = criterion;
  const facts = [
    ...(explanation === null ? [] : [explanation]),
    ...(accepted || verify === null ? [] : [`not accepted: planner approve ${id}`]),
    ...(result?.at == null ? [] : [formatLocalTime(result.at)]),
  ];
  return (
    <>
      {facts.length === 0 ? null : (
        <p class="check-line" data-mark={mark ?? "open"}>
          {verify === null ? null : <code>{verify}</code>} {facts.join(" · ")}
        </p>
      )}
      {result === null || result.last_lines.length === 0 ? null : (
        <pre class="last-lines">{result.last_lines.map(stripTerminalSequences).join("\n")}</pre>
      )}
    </>
  );
}

export function SpecLinks({ title, specs }: { readonly title: string; readonly specs: readonly NamedSpec[] }) {
  if (specs.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul class="links">
        {specs.map(({ id, title: name, status }) => (
          <li key={id}>
            {status === null ? (
              <span>{id}</span>
            ) : (
              <a href={formatBoardUrl({ ...readBoardAddress(), spec: id })}>{name ?? id}</a>
            )}{" "}
            <span class="muted">{status ?? "missing"}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** List of the runs of a spec, with the record of the last run. */
export function RunList({ spec: { runs, record } }: { readonly spec: SpecPage }) {
  return (
    <>
      {record === null ? null : (
        <section>
          <h3>
            Record of run {record.run} <span class="muted">{record.status}</span>
          </h3>
          <ul class="links">
            {record.reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </section>
      )}
      {runs.length === 0 ? null : (
        <section>
          <h3>Runs</h3>
          <ul class="links">
            {runs.map((run) => (
              <li key={run.process_id}>
                {run.status} <span class="muted">{listRunFacts(run).join(" · ")}</span>
                {run.error === null ? null : <p class="check-line">{run.error}</p>}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function listRunFacts(run: SpecPage["runs"][number]): readonly string[] {
  const end = run.completed_at === null ? Date.now() : Date.parse(run.completed_at);
  return [
    formatLocalTime(run.started_at),
    formatElapsedTime(Date.parse(run.started_at), end),
    ...(run.agent === null ? [] : [run.agent]),
    ...(run.tokens === null ? [] : [`${formatShortCount(run.tokens)} tokens`]),
    ...(run.cost_usd === null ? [] : [formatDollars(run.cost_usd)]),
  ];
}

/** Maximum number of lines of a difference that are drawn. */
const MAX_LINES = 3000;

/** Lists the commits and files of a branch. A click on a file opens its difference. */
export function DifferenceView({ difference }: { readonly difference: BranchDifference | null }) {
  if (difference === null || difference.files.length + difference.commits.length === 0) return null;
  const { behind, conflicts, commits, files } = difference;
  return (
    <section>
      <h3>
        Changes <span class="muted">{behind === 0 ? "" : `the main branch has ${behind} newer commits`}</span>
      </h3>
      {conflicts.length === 0 ? null : <p class="banner watch">A merge would conflict in {conflicts.join(", ")}</p>}
      <ul class="links">
        {commits.map(({ hash, subject }) => (
          <li key={hash}>
            <code>{hash.slice(0, 10)}</code> {subject}
          </li>
        ))}
      </ul>
      <ul class="links">
        {files.map((file) => (
          <li key={file.path}>
            <FileDifference difference={difference} file={file} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FileDifferenceProps {
  readonly difference: BranchDifference;
  readonly file: BranchDifference["files"][number];
}

function FileDifference({ difference: { from, to }, file }: FileDifferenceProps) {
  const { path, change, added, removed, changed_in_main } = file;
  const [text, setText] = useState<string>();
  const loadText = async () => {
    if (text !== undefined) return;
    try {
      setText(await readFileDifference({ from, to, path }));
    } catch (error) {
      setText(describeError(error));
    }
  };
  const facts = [
    change,
    added === null ? "binary" : `+${added} −${removed ?? 0}`,
    ...(changed_in_main ? ["changed in the main branch too"] : []),
  ];
  return (
    <details onToggle={({ currentTarget }) => currentTarget.open && void loadText()}>
      <summary>
        <code>{path}</code> <span class="muted">{facts.join(" · ")}</span>
      </summary>
      {text === undefined ? null : <PatchLines text={text} />}
    </details>
  );
}

function PatchLines({ text }: { readonly text: string }) {
  const lines = stripTerminalSequences(text).split("\n").slice(0, MAX_LINES);
  // biome-ignore-start lint/suspicious/noArrayIndexKey: the lines of a patch never move
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by the keyboard
    <pre class="patch" tabIndex={0}>
      {lines.map((line, index) => (
        <span key={index} class={getPatchLineClass(line)}>
          {`${line}\n`}
        </span>
      ))}
    </pre>
  );
  // biome-ignore-end lint/suspicious/noArrayIndexKey: the lines of a patch never move
}

function getPatchLineClass(line: string): string {
  if (/^(?:\+\+\+|---|diff |index )/.test(line)) return "head";
  if (line.startsWith("@@")) return "place";
  return line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : "";
}
