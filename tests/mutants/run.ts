/**
 * Changes the sources one fault at a time and runs their tests: `bun tests/mutants/run.ts [--general] [--only NAME]
 * [--sample N]`. It prints every mutant that no test noticed, and the share of those that one did. Status 1 when less
 * than 95 % of the named faults were noticed. Not part of the gate: a mutant costs as much as the tests of its folder.
 */
import { globSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Mutant, mutantsOf } from "./operators.ts";
import { GENERAL, NAMED, type Target } from "./targets.ts";
import { Workspace } from "./workspace.ts";

/** Share of the named faults that tests must notice. */
const WANTED = 0.95;
/** Longest run of one test file, in milliseconds; a mutant may loop for ever. */
const LIMIT_MS = 180_000;

interface Found extends Mutant {
  readonly path: string;
  readonly target: Target;
}

const { values } = parseArgs({
  options: { general: { type: "boolean" }, only: { type: "string" }, sample: { type: "string" } },
});
const targets = (values.general === true ? GENERAL : NAMED).filter(
  ({ name }) => values.only === undefined || name === values.only,
);
if (targets.length === 0) throw new Error(`There is no target "${values.only}"`);
const workspace = new Workspace();
try {
  const share = await runAll(targets);
  process.exitCode = values.general === true || share >= WANTED ? 0 : 1;
} finally {
  workspace.remove();
}

async function runAll(chosen: readonly Target[]): Promise<number> {
  const mutants = chosen.flatMap(mutantsOfTarget);
  for (const { name, tests } of chosen) {
    if (!(await workspace.passes(tests, LIMIT_MS))) throw new Error(`The tests of "${name}" fail without a mutant`);
  }
  const sample = spread(mutants, Number(values.sample ?? mutants.length));
  let killed = 0;
  for (const mutant of sample) {
    const { path, line, kind, was, target } = mutant;
    const survives = await workspace.passes(target.tests, LIMIT_MS, mutant);
    if (!survives) killed += 1;
    process.stdout.write(`${survives ? "SURVIVED" : "killed  "} ${path}:${line} ${kind}: ${was}\n`);
  }
  const share = sample.length === 0 ? 0 : killed / sample.length;
  process.stdout.write(`${killed} of ${sample.length} killed (${(share * 100).toFixed(1)} %)\n`);
  return share;
}

function mutantsOfTarget(target: Target): readonly Found[] {
  const paths = globSync([...target.sources], { cwd: workspace.folder }).toSorted();
  const found = paths.flatMap((path) =>
    mutantsOf(path, workspace.read(path), target.operators).map((mutant) => ({ ...mutant, path, target })),
  );
  // A pattern that finds nothing any more would report success about nothing.
  for (const { kind } of target.operators) {
    if (!found.some((one) => one.kind === kind)) throw new Error(`"${target.name}" has no place for "${kind}"`);
  }
  return found;
}

/** `count` of them at even distances. */
function spread<One>(list: readonly One[], count: number): readonly One[] {
  if (count >= list.length) return list;
  return Array.from({ length: count }, (_, index) => list[Math.floor((index * list.length) / count)] as One);
}
