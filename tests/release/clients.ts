/**
 * Runs every recipe of docs/clients.md as a reader would, against a server with the sample site: `npm run test:clients`.
 * Prints a line a language; a language without its programs is skipped by name.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasProgram } from "../../release/shell.ts";
import { runCommand } from "../support/planner_command.ts";
import { emptyFolder, succeed, withServer } from "./main_jobs.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  "By reflection": ["buf", "go"],
  Python: ["python3"],
  TypeScript: ["node", "npm"],
  Go: ["go", "buf"],
  Java: ["java", "mvn"],
  Rust: ["cargo", "protoc"],
  Schemathesis: ["python3"],
};

/** A file of a recipe, named in backticks before its code, or commands. */
const BLOCK = /(?:`([\w./]+)`:\n\n)?```(\w+)\n(.*?)```/gs;

/** Writes the files of a recipe and runs its commands. Returns what they printed; throws what failed. */
async function runRecipe(text: string, address: string): Promise<string> {
  const cwd = emptyFolder();
  cpSync(join(ROOT, "proto"), join(cwd, "proto"), { recursive: true });
  let printed = "";
  for (const [, file, language, code = ""] of text.matchAll(BLOCK)) {
    if (file !== undefined) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), code);
    } else if (language === "sh") {
      const commands = `set -e\n${code.replaceAll("127.0.0.1:8081", address)}`;
      const { code: status, stdout, stderr } = await runCommand(["sh", "-c", commands], { cwd });
      if (status !== 0) throw new Error(`${stdout}${stderr}`.slice(-2000));
      printed += stdout;
    }
  }
  return printed;
}

/** Whether a recipe printed what the sample site has; the fuzzer judges by its exit status. */
const isAnswer = (name: string, printed: string) =>
  name === "Schemathesis" || /(?:devices|"totalCount"): 808/.test(printed);

const page = readFileSync(join(ROOT, "docs", "clients.md"), "utf8");
const recipes = page.split(/^## /m).slice(1);
const only = process.argv.slice(2);
let failed = 0;
// buf is one of this project's own packages.
process.env["PATH"] = `${process.env["PATH"]}:${join(ROOT, "node_modules", ".bin")}`;
const installed = { command: [join(ROOT, "dist", "planner")], folder: emptyFolder() };
await succeed(installed, ["dc", "import", "-", "--db", "site.sqlite"], await succeed(installed, ["dc", "sample"]));
await withServer(installed, async (url) => {
  for (const recipe of recipes) {
    const name = recipe.split("\n", 1)[0] ?? "";
    if (only.length > 0 && !only.includes(name)) continue;
    const missing = (NEEDS[name] ?? []).filter((program) => !hasProgram(program));
    if (missing.length > 0) {
      process.stdout.write(`${name}: not run here, ${missing.join(" and ")} not installed\n`);
      continue;
    }
    try {
      const printed = await runRecipe(recipe, url.replace("http://", ""));
      if (!isAnswer(name, printed)) throw new Error(`it printed ${printed}`);
      process.stdout.write(`${name}: ok\n`);
    } catch (error) {
      failed += 1;
      process.stdout.write(`${name}: FAILED\n${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
});
process.exit(failed === 0 ? 0 : 1);
