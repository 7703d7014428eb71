import { useState } from "preact/hooks";
import type { BranchDifference } from "#planner/board/wire.ts";
import { describeError, readFileDifference } from "./api.ts";
import { stripTerminalSequences } from "#words/plain_log.ts";

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
