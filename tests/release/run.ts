/**
 * Installs every artefact of `dist/release/` into an empty place of this machine and does the main jobs there: `npm run
 * test:release`, after `npm run release`. Prints a table and `N passed, N failed`.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { OUT } from "../../release/release.ts";
import { hasProgram } from "../../release/shell.ts";
import type { Check } from "./check.ts";
import { checks, NOT_RUN_HERE } from "./places.ts";

const counts = { passed: 0, failed: 0, skipped: 0 };

function row(result: string, artefact: string, place: string, what: string): void {
  process.stdout.write(`| ${result} | ${artefact} | ${place} | ${what} |\n`);
}

async function one({ artefact, place, needs, files, check }: Check): Promise<void> {
  const missing = [
    ...needs.filter((program) => !hasProgram(program)).map((program) => `${program} is not installed`),
    ...files.filter((file) => !existsSync(join(OUT, file))).map((file) => `${file} was not built`),
  ];
  if (missing.length > 0) {
    counts.skipped += 1;
    return row("not run here", artefact, place, missing.join("; "));
  }
  try {
    row("ok", artefact, place, await check());
    counts.passed += 1;
  } catch (error) {
    row("FAILED", artefact, place, (error instanceof Error ? error.message : String(error)).replaceAll("\n", " "));
    counts.failed += 1;
  }
}

row("result", "artefact", "place", "what was run");
row("---", "---", "---", "---");
for (const check of checks(manifest.version)) await one(check);
for (const [artefact, reason] of NOT_RUN_HERE) row("not run here", artefact, "", reason);
process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;
