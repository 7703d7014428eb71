import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { describeSystemError } from "#planner/store/files/disk_error.ts";
import { isInteractive } from "./output/print.ts";

/** Result of the editor. The file is kept until `discard` is called, so that the text is never lost. */
export interface EditedText {
  readonly text: string;
  readonly file: string;
  discard(): void;
}

/**
 * Opens a copy of `text` in the person's editor and waits until it exits.
 * @param name file name of the copy; its extension selects the editor's mode
 * @throws OperationError if the editor cannot be started or exits with an error; the message names an edited copy,
 * which is kept
 */
export async function editText(name: string, text: string): Promise<EditedText> {
  const editor = selectEditor();
  const folder = mkdtempSync(join(tmpdir(), "planner-edit-"));
  const file = join(folder, name);
  const discard = (): void => rmSync(folder, { recursive: true, force: true });
  writeFileSync(file, text, { mode: 0o600 });
  const problem = await runEditor(editor, file);
  const edited = readFileSync(file, "utf8");
  if (problem === undefined) return { text: edited, file, discard };
  if (edited === text) discard();
  const kept = edited === text ? "" : `: your text is kept in "${file}"`;
  throw new OperationError("failed_precondition", `${problem}${kept}`);
}

/** Returns the configured editor, or the system's default, which needs a terminal. */
function selectEditor(): string {
  const named = process.env["VISUAL"] || process.env["EDITOR"];
  if (named) return named;
  if (process.platform === "win32") return "notepad";
  if (isInteractive()) return "vi";
  const expected = "expected VISUAL or EDITOR to name an editor where there is no terminal";
  throw new OperationError("failed_precondition", `Cannot edit: ${expected}`);
}

/** Runs the editor; returns the error message, or undefined if the editor succeeded. */
function runEditor(editor: string, file: string): Promise<string | undefined> {
  // Ctrl-C is for the editor. If it ended this process, the copy would remain and the editor would lose its terminal.
  const ignore = (): void => {};
  process.on("SIGINT", ignore);
  return new Promise<string | undefined>((resolve) => {
    // A shell is used because the variables contain a command line such as `code --wait`. The path is a separate
    // argument, so the shell interprets no character in it.
    const child =
      process.platform === "win32"
        ? spawn(`${editor} "${file}"`, { shell: true, stdio: "inherit", cwd: dirname(file) })
        : spawn("/bin/sh", ["-c", `${editor} "$1"`, editor, file], { stdio: "inherit" });
    child.on("error", (error) => resolve(`Cannot start the editor "${editor}": ${describeSystemError(error)}`));
    child.on("close", (code, signal) =>
      resolve(code === 0 ? undefined : `The editor "${editor}" ended with ${signal ?? `status ${code}`}`),
    );
  }).finally(() => process.off("SIGINT", ignore));
}
