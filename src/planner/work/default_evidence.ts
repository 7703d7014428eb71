import { parseCriteria } from "../spec/criteria.ts";
import { findLastSection } from "../spec/sections.ts";

/** Types of specs whose result may be a text instead of changed files. */
const TEXT_RESULT_TYPES: readonly string[] = ["research", "task", "docs", "documentation", "driver"];

export interface WorkFacts {
  /** Frontmatter, type and body of the spec before the run. */
  readonly specBefore: {
    readonly frontmatter: Readonly<Record<string, unknown>>;
    readonly type: string;
    readonly body: string;
  };
  /** Body after the run, before the agent's last message is appended. */
  readonly body: string;
  /** Path of the spec's own file, from the project's root. */
  readonly file: string;
  /** Whether the run left a commit, an uncommitted file, a successful check, or an output that fits the schema. */
  readonly hasTrace: boolean;
  /** Whether `verify.commands` has lines. */
  readonly hasCommands: boolean;
  /** Paths that differ between the run's base and its head, from the project's root; null without git. */
  readonly changed: readonly ChangedPath[] | null;
}

export interface ChangedPath {
  readonly path: string;
  /** Whether the path does not exist in the base. */
  readonly isNew: boolean;
}

/**
 * Returns why a successful run shows no work; null if it shows work.
 *
 * The spec's `evidence` decides if it is set. Otherwise a spec with criteria or `verify.commands` needs a new output or
 * a change beside its own file. Any other spec needs a change outside `.planner/` or a new spec. For research, tasks,
 * documentation and drivers, and without git, a new output is enough.
 *
 * Source: docs/decisions.md#s-25.
 */
export function explainMissingWork(facts: WorkFacts): string | null {
  const changed = facts.changed?.some(isWorkPath) ?? false;
  const written = extractOutput(facts.body) !== extractOutput(facts.specBefore.body);
  const requiredEvidence = facts.specBefore.frontmatter["evidence"];
  if (requiredEvidence === "none") return null;
  if (requiredEvidence === "output")
    return written ? null : "no output was written, which the spec's evidence asks for";
  if (requiredEvidence === "commit")
    return changed ? null : "no change was committed, which the spec's evidence asks for";
  if (facts.hasCommands || parseCriteria(facts.specBefore.body).length > 0) {
    return written || hasOtherChanges(facts) ? null : "nothing was changed";
  }
  return explainMissingDefaultEvidence(facts, { changed, written });
}

function explainMissingDefaultEvidence(
  { changed: known, specBefore }: WorkFacts,
  { changed, written }: { readonly changed: boolean; readonly written: boolean },
): string | null {
  const mayWrite = known === null || TEXT_RESULT_TYPES.includes(specBefore.type);
  if (changed || (mayWrite && written)) return null;
  return mayWrite ? "nothing was changed and no output was written" : "nothing was changed outside .planner/";
}

/** Whether the run left a trace or changed another file than the spec's. True without git, which would list changes. */
function hasOtherChanges({ changed, file, hasTrace }: WorkFacts): boolean {
  return hasTrace || changed === null || changed.some(({ path }) => path !== file);
}

/** Whether a file is in a `.planner` folder at any depth, because the project may be a subfolder of the repository. */
export function isPlannerFile(path: string): boolean {
  return `/${path}`.includes("/.planner/");
}

function isWorkPath({ path, isNew }: ChangedPath): boolean {
  return !path.startsWith(".planner/") || (isNew && path.startsWith(".planner/specs/"));
}

/** Returns the text of the last `## Output` section, trimmed. */
export function extractOutput(body: string): string {
  const section = findLastSection(body, "Output");
  return section === undefined ? "" : body.slice(section.heading.next, section.end).trim();
}

/** Returns the output of a body, trimmed, without the output that an older body had. */
export function extractNewOutput(body: string, old: string): string {
  const [now, before] = [extractOutput(body), extractOutput(old)];
  return (before !== "" && now.startsWith(before) ? now.slice(before.length) : now).trim();
}
