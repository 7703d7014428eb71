/**
 * What parsing costs beside reading: `bun tests/bench/spec_parse.ts [count]`. Every figure is per spec and a ratio to
 * one pass of readFile over the same files; cold figures come from a process of their own with nothing compiled yet.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { buildSpec } from "#planner/spec/build_spec.ts";
import { parseDocument } from "#planner/spec/document.ts";
import { editFields } from "#planner/spec/edit/edit_fields.ts";
import { parseFrontmatter } from "#planner/spec/full_frontmatter.ts";
import { scanFrontmatter } from "#planner/spec/quick_frontmatter.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { type FrontmatterRange, splitText } from "#planner/spec/split_text.ts";
import { median } from "./measure.ts";
import { benchProject } from "./project.ts";

const ROUNDS = 7;

function rangeOf(text: string): FrontmatterRange {
  const split = splitText(text);
  if (!split.ok || split.range === null) throw new Error("the project's specs have frontmatter");
  return split.range;
}

const CASES: Readonly<Record<string, (text: string) => unknown>> = {
  splitText,
  quickFrontmatter: (text) => scanFrontmatter(text, rangeOf(text)),
  parseFrontmatter: (text) => parseFrontmatter(text, rangeOf(text)),
  parseDocument,
  "parseDocument + buildSpec": (text) => {
    const document = parseDocument(text);
    return document.ok ? buildSpec({ id: "x" as SpecId, file: "x", archived: false }, document) : undefined;
  },
  "editFields status": (text) => editFields(text, { status: "needs_attention" }),
};

function textsOf(root: string): readonly string[] {
  const folder = join(root, ".planner", "specs");
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
}

/** Microseconds per text. */
function timeOnce(run: (text: string) => unknown, texts: readonly string[]): number {
  const started = performance.now();
  for (const text of texts) run(text);
  return ((performance.now() - started) * 1000) / texts.length;
}

async function readPass(root: string): Promise<number> {
  const folder = join(root, ".planner", "specs");
  const names = readdirSync(folder);
  const started = performance.now();
  for (const name of names) await readFile(join(folder, name), "utf8");
  return ((performance.now() - started) * 1000) / names.length;
}

function printRow(name: string, micros: number, floor: number): void {
  process.stdout.write(`${name.padEnd(34)} ${micros.toFixed(2).padStart(9)} µs  ${(micros / floor).toFixed(3)}\n`);
}

async function measure(count: number): Promise<void> {
  const root = benchProject(count);
  try {
    const texts = textsOf(root);
    const passes: number[] = [];
    for (let round = 0; round < ROUNDS; round++) passes.push(await readPass(root));
    const floor = median(passes);
    printRow("readFile", floor, floor);
    for (const [name, run] of Object.entries(CASES)) {
      const cold = spawnSync(process.execPath, [import.meta.filename, "--cold", name, root], { encoding: "utf8" });
      if (cold.status !== 0) throw new Error(cold.stderr);
      printRow(`${name}, cold`, Number(cold.stdout), floor);
      timeOnce(run, texts);
      printRow(name, median(Array.from({ length: ROUNDS }, () => timeOnce(run, texts))), floor);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const [first = "10000", name = "", root = ""] = process.argv.slice(2);
const cold = CASES[name];
if (first === "--cold" && cold !== undefined) process.stdout.write(String(timeOnce(cold, textsOf(root))));
else await measure(Number(first));
