import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Milliseconds after which the file with the address is removed. */
const FILE_LIFETIME_MS = 60_000;

const OPEN_COMMANDS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/**
 * Opens an address in the person's browser. The address is passed in a file that only this user can read, because other
 * users of the machine can read the arguments of every process.
 * @param onFailure called if no browser can be started
 * @returns a function that removes the file
 */
export function openInBrowser(address: string, onFailure: (why: string) => void): () => void {
  const folder = mkdtempSync(join(tmpdir(), "planner-open-"));
  const file = join(folder, "open.html");
  const text = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${address}"><a href="${address}">Open the page</a>\n`;
  writeFileSync(file, text, { mode: 0o600 });
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const [program = "xdg-open", ...words] = OPEN_COMMANDS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...words, pathToFileURL(file).href], { stdio: "ignore", detached: true });
  child.on("error", () =>
    onFailure(`No browser was opened: "${program}" cannot be started. Open the address yourself`),
  );
  child.unref();
  setTimeout(remove, FILE_LIFETIME_MS).unref();
  return remove;
}
