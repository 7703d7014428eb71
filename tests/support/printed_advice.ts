import { ID, type ScriptedProject } from "./misbehaving_agent.ts";

/** What a person does by hand where the advice has words and no command: a shell's lines for the project's folder. */
export type Hands = readonly (readonly [words: RegExp, does: string])[];

type Step =
  | { readonly kind: "run"; readonly folder: string | null; readonly command: string }
  | { readonly kind: "hand"; readonly does: string };

/** The choices that a printed advice gives: each by itself is to be enough. */
export function waysIn(advice: string, hands: Hands = []): readonly string[] {
  const ways = advice.split(/(?:;|,) or /).filter((way) => stepsOf(way, hands).length > 0);
  // "Do this, or that, then run …" ends in the same step for both.
  const last = /, then run .*$/s.exec(advice)?.[0] ?? "";
  return ways.map((way) => (/\bplanner [a-z]/.test(way) ? way : way + last));
}

const COMMAND =
  /\bin (?:"(?<place>\/[^"]*)"|(?<bareplace>\/[^"\s,]*))|undo it with: (?<undo>.*?)\)?(?=\), |\):|\) and |\), then|$)|["`](?<quoted>(?:git|planner|cp|rm|printf|mv) (?:\\.|'[^']*'|[^"`'\\])*)["`]|(?<=(?:: |then |run |\())(?<bare>planner [a-z]+ [\w-]+(?: --[\w-]+)*)/g;

function stepsOf(way: string, hands: Hands = []): readonly Step[] {
  const found: { readonly at: number; readonly step: Step }[] = [];
  let folder: string | null = null;
  for (const match of way.matchAll(COMMAND)) {
    const { bareplace, place = bareplace, undo, quoted, bare } = match.groups ?? {};
    if (place !== undefined) folder = place;
    const command = undo ?? quoted ?? bare;
    // What a person has to fill in is for a hand.
    if (command !== undefined && !/<\w+>/.test(command))
      found.push({ at: match.index, step: { kind: "run", folder, command } });
  }
  for (const [words, does] of hands) {
    const at = way.search(words);
    if (at >= 0) found.push({ at, step: { kind: "hand", does } });
  }
  return found.toSorted((a, b) => a.at - b.at).map(({ step }) => step);
}

/** Commands that end with another status by what they are for. */
const MAY_FAIL = /^(?:git rebase \S+$|planner (?:diagnose|work|doctor|merge|finalize)\b)/;

/** Does what a way says, to the letter. Returns what the last command printed. */
export async function follow(project: ScriptedProject, way: string, hands: Hands = []): Promise<string> {
  let printed = "";
  for (const step of stepsOf(way, hands)) {
    const run = step.kind === "hand" ? await project.sh(step.does) : await runPrinted(project, step);
    printed = run.stdout + run.stderr;
    const command = step.kind === "hand" ? step.does : step.command;
    if (run.code !== 0 && !MAY_FAIL.test(command)) throw new Error(`${command}: ${run.code}\n${printed}\nof: ${way}`);
  }
  return printed;
}

function runPrinted(project: ScriptedProject, { folder, command }: Step & { readonly kind: "run" }) {
  if (command.startsWith("planner ")) return project.planner(...command.split(" ").slice(1));
  return project.sh(`${folder === null ? "" : `cd ${word(folder)} && `}export GIT_EDITOR=true; ${command}`);
}

export function word(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Most commands in a row that each print the next advice. */
const MAX_ROUNDS = 4;

/** Follows a way, and the first way of what is printed then, until the main branch has the work. */
export async function followToEnd(
  project: ScriptedProject,
  way: string,
  { hands = [], repeats = [] }: { readonly hands?: Hands | undefined; readonly repeats?: readonly string[] },
): Promise<string> {
  let printed = await follow(project, way, hands);
  const all = [way, printed];
  if (repeats.length > 0) {
    const { stdout, stderr } = await project.planner(...repeats);
    printed = stdout + stderr;
    all.push(printed);
  }
  for (let round = 0; round < MAX_ROUNDS && !(await isMerged(project)); round++) {
    const [next] = waysIn(adviceOf(printed));
    if (next === undefined) break;
    printed = await follow(project, next, hands);
    all.push(printed);
  }
  return all.join("\n---\n");
}

/** The part of an output that advises: the suggestion of `diagnose`, the lines below each finding of `doctor`. */
export function adviceOf(printed: string): string {
  const lines = printed.split("\n");
  const suggestion = lines.find((line) => line.startsWith("Suggestion: "));
  if (suggestion !== undefined) return suggestion;
  const below = lines.filter((line) => /^ {2}\S/.test(line));
  return below.length > 0 ? below.join("; or ") : printed;
}

/** Whether the main branch has the work that `save a` made. */
export async function isMerged(project: ScriptedProject): Promise<boolean> {
  return (await project.sh("git cat-file -e main:a.txt")).code === 0;
}

/** Whether the work is still there for a later merge. */
export async function waits(project: ScriptedProject): Promise<boolean> {
  const hasBranch = (await project.sh(`git rev-parse -q --verify planner/${ID}`)).code === 0;
  return hasBranch && (await project.keeps("a"));
}
