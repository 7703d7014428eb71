import { CRITERIA_SECTION, type Criterion, parseCriteria } from "../criteria.ts";
import { parseReadable } from "../document.ts";
import { detectLineBreak } from "../text_lines.ts";
import { appendSectionEntry } from "./edit_body.ts";

interface KeepChecksOptions {
  /** Text of the spec whose checks stay. */
  readonly own: string;
  /** Whether criteria that the other text lacks are added again, unchecked. */
  readonly restores: boolean;
  /** Returns whether a check is kept; without this function all checks are kept. */
  readonly stays?: (command: string) => boolean;
}

/**
 * Returns the spec's text with the checks that the same criteria have in `own`. A check that differs is kept as a line
 * `proposed verify: <command>` below. No other byte changes.
 * @throws OperationError `failed_precondition` with line and column if one of the texts does not parse
 */
export function keepChecks(text: string, { own, restores, stays = () => true }: KeepChecksOptions): string {
  const wanted = parseCriteria(parseReadable(own).body).filter(({ verify }) => verify !== null && stays(verify));
  if (wanted.length === 0) return text;
  const { body } = parseReadable(text);
  const left = [...parseCriteria(body)];
  const lines = body.split(/(?<=\n|\r(?!\n))/);
  const lineBreak = detectLineBreak(text);
  const lost: Criterion[] = [];
  for (const criterion of wanted) {
    const index = left.findIndex(({ label }) => label === criterion.label);
    const [found] = index < 0 ? [] : left.splice(index, 1);
    if (found === undefined) lost.push(criterion);
    else if (found.verify !== criterion.verify)
      replaceCheck(lines, { found, command: criterion.verify ?? "", lineBreak });
  }
  const kept = text.slice(0, text.length - body.length) + lines.join("");
  if (!restores || lost.length === 0) return kept;
  const entries = lost.map(({ label, verify }) => `- [ ] ${label}${lineBreak}  verify: ${verify}`);
  return appendSectionEntry(kept, CRITERIA_SECTION, entries.join(lineBreak));
}

interface CheckReplacement {
  readonly found: Criterion;
  readonly command: string;
  readonly lineBreak: string;
}

function replaceCheck(lines: string[], { found, command, lineBreak }: CheckReplacement): void {
  if (found.verifyLine === null) {
    const at = found.line - 1;
    const line = lines[at] ?? "";
    const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
    lines[at] = `${line.replace(/[\r\n]+$/, "")}${lineBreak}${indent}  verify: ${command}${lineBreak}`;
    return;
  }
  const line = lines[found.verifyLine - 1] ?? "";
  const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
  const end = /[\r\n]+$/.exec(line)?.[0] ?? "";
  const proposed = `${indent}proposed verify: ${found.verify}`;
  lines[found.verifyLine - 1] = `${indent}verify: ${command}${lineBreak}${proposed}${end}`;
}
