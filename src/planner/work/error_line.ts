/** Matches lines by which programs report an error: `Error: …`, `ValueError: …`, `panic: …`, `fatal: …`. */
const ERROR_LINE =
  /^\s*(?:(?:uncaught|unhandled|caused by:?|exception in)\b.*|(?:[\w$.:]*(?:error|exception|panic|fault|interrupt)\w*|fatal|abort(?:ed)?|cannot|could not)(?:\s*\[[^\]]*\])?(?: \([^)]*\))?:?(?: |$).*|(?:[\w./-]+: ){1,3}(?:line \d+: )?\S.*|thread '.*' panicked.*|.*\((?:[A-Z]\w*(?:Error|Exception))\))$/i;

/** Matches lines near an error: stack frames, marks below a source line, hints and the version of the runtime. */
const ERROR_CONTEXT_LINE =
  /^\s*(?:warn|info|debug|at |from |\^+\s*$|~+|\d+ \||\|| {4,}|\t|node\.js v|bun v|note: |help: |hint: |goroutine |exit status|stack backtrace|traceback|file "|\.\.\. \d+ more|npm (?:err!|error) a complete log|error: command failed|error: script ".*" exited)/i;

/** Number of last lines in which the error is searched. Chosen by planner: stacks are shorter. */
const MAX_ERROR_LINES = 200;

/** Matches the line behind which Node.js and Bun print the properties of an error, such as its code. */
const PROPERTIES_START = /^(?:\s+at\s.*|\[?[\w.$]*(?:Error|Exception)\b.*)\{$/;

/** Collects the last lines of a program's error output, without the properties of printed errors. */
export class ErrorOutput {
  #lines: readonly string[] = [];
  #isInProperties = false;

  addLines(lines: readonly string[]): void {
    this.#lines = [...this.#lines, ...lines.filter((line) => !this.#isProperty(line))].slice(-MAX_ERROR_LINES);
  }

  /** Returns the line that probably states the cause: the last error line, else the last line; empty without one. */
  findErrorLine(): string {
    return findErrorLine(this.#lines);
  }

  #isProperty(line: string): boolean {
    const isProperty = this.#isInProperties && /^(?:\s|\}|$)/.test(line);
    this.#isInProperties = isProperty ? !line.startsWith("}") : PROPERTIES_START.test(line);
    return isProperty;
  }
}

function findErrorLine(lines: readonly string[]): string {
  const textLines = lines.filter((line) => line.trim() !== "");
  const own = textLines.filter((line) => !ERROR_CONTEXT_LINE.test(line));
  const at = own.findLastIndex((line) => ERROR_LINE.test(line));
  const line = own[at] ?? own.at(-1) ?? textLines.at(-1) ?? "";
  // Rust prints the message on the next line.
  const next = /panicked at .*:$/.test(line) ? ` ${own[at + 1] ?? ""}` : "";
  return (line + next).replace(/\s*\{$/, "").trim();
}

/** Matches messages, as agents print them, by which services reject an account or report that its credit is used up. */
const ACCOUNT_ERROR =
  /\b(?:401|402)\b|unauthori[sz]ed|unauthenticated|failed to authenticate|authentication (?:failed|error)|invalid[ _](?:x-)?api[ _-]?key|api key not valid|incorrect api key|not logged in|please (?:run )?\/?log ?in|credit balance|insufficient[_ ](?:quota|credits?|funds)|billing[_ ](?:hard )?limit|payment required|usage limit|quota exceeded/i;

/** Whether an agent failed because of its account, so that the next run of the same agent would fail too. */
export function isAccountError(failure: string): boolean {
  return ACCOUNT_ERROR.test(failure);
}
