import type { PlannerConfig } from "../config/config.ts";
import { type Criterion, parseCriteria, readCriteria } from "../spec/criteria.ts";
import type { Spec } from "../spec/spec.ts";
import type { Provider } from "./providers.ts";

/**
 * Kinds of lines that a person accepts. `check`, `verify` and `setup` are commands, `provider` an agent's start
 * settings, `file` a branch's version of a file that a check reads. `unproven` completes a spec without proof.
 * `config` and `schema` are rules that judge runs; accepting one permits its removal.
 */
const LINE_KINDS = ["check", "verify", "setup", "provider", "file", "unproven", "config", "schema"] as const;
export type AcceptedLineKind = (typeof LINE_KINDS)[number];

/** One accepted text, such as a command, with its kind. */
export interface AcceptableLine {
  readonly kind: AcceptedLineKind;
  readonly text: string;
}

/** The commands that a person on this machine has accepted for a project. */
export interface AcceptedCommands {
  /** Whether every command of the project counts as accepted. */
  readonly isTrusted: boolean;
  /** Prefixes of checks that are accepted with any plain words after them. */
  readonly prefixes: readonly string[];
  /** Settings and schemas that have judged runs so far, even if the project's files no longer contain them. */
  readonly heldRules: readonly AcceptableLine[];
  /** Whether exactly this text was accepted as a line of this kind. */
  hasLine(line: AcceptableLine): boolean;
}

/** Commands accepted for one project, kept outside of its repository. Source: docs/decisions.md#s-61. */
export interface AcceptanceStore {
  /** Absolute path of the file with the accepted commands. */
  readonly file: string;
  /** Reads the file. @throws OperationError `failed_precondition` if it belongs to another user, or cannot be parsed */
  read(): Promise<AcceptedCommands>;
  acceptLines(lines: readonly AcceptableLine[]): Promise<void>;
  /** Stores the settings and schemas that judge runs. They continue to judge until a person accepts their removal. */
  holdRules(rules: readonly AcceptableLine[]): Promise<void>;
  /** Accepts every check that consists of the prefix and plain words. @param prefix see `isCommandPrefix` */
  acceptPrefix(prefix: string): Promise<void>;
  setTrusted(on: boolean): Promise<void>;
}

/**
 * Whether a person has accepted the line. A rule counts as accepted unless `held` contains it. An accepted line of
 * `verify.commands` is also accepted as a check.
 */
export function isLineAccepted(accepted: AcceptedCommands, line: AcceptableLine): boolean {
  if (isRuleLine(line)) return !accepted.heldRules.some((one) => isSameLine(one, line));
  const isCommand = line.kind !== "file" && line.kind !== "unproven";
  if ((accepted.isTrusted && isCommand) || accepted.hasLine(line)) return true;
  if (line.kind !== "check") return false;
  return (
    accepted.hasLine({ ...line, kind: "verify" }) ||
    accepted.prefixes.some((prefix) => matchesCommandPrefix(line.text, prefix))
  );
}

export function omitAcceptedLines(
  accepted: AcceptedCommands,
  lines: readonly AcceptableLine[],
): readonly AcceptableLine[] {
  const seenKeys = new Set<string>();
  return lines.filter((line) => {
    const key = `${line.kind}\0${line.text}`;
    if (seenKeys.has(key) || isLineAccepted(accepted, line)) return false;
    seenKeys.add(key);
    return true;
  });
}

// A word that a shell takes literally. Other words could run something else: a flag, a substitution, a second
// command.
const PLAIN_WORD = /^(?!-)[A-Za-z0-9_.:/@+-]+$/;

/** Whether a text may be a prefix of commands: words that end in a blank or, as `npm test --`, in a word of dashes. */
export function isCommandPrefix(text: string): boolean {
  return text === text.trim() && text !== "" && !/[\r\n\0]/.test(text);
}

/** Whether a command consists of the prefix and plain words after it. */
function matchesCommandPrefix(command: string, prefix: string): boolean {
  if (!command.startsWith(`${prefix} `)) return false;
  const words = command.slice(prefix.length + 1).split(" ");
  return words.every(
    (word) => PLAIN_WORD.test(word) && !word.split("/").includes("..") && !/(?:^|[/:@+=])\.planner(?:$|\/)/i.test(word),
  );
}

/** Returns an agent's start settings as one line; null if the settings equal planner's own row. */
export function buildProviderLine(provider: Provider): AcceptableLine | null {
  const { name, row, program, extraArgs, env, skipsPermissions } = provider;
  const settings = {
    ...(program === row.program ? {} : { command: program }),
    ...(extraArgs.length === 0 ? {} : { args: extraArgs }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(skipsPermissions ? { skip_permissions: true } : {}),
  };
  if (Object.keys(settings).length === 0) return null;
  return { kind: "provider", text: `${name}: ${JSON.stringify(settings)}` };
}

/** Returns a line that accepts the completion of a spec without proof, with the reason. */
export function buildUnprovenLine(id: string, why: string): AcceptableLine {
  return { kind: "unproven", text: `${id}: ${why}` };
}

/** Whether a line is a setting or schema that judges runs. */
export function isRuleLine({ kind }: AcceptableLine): boolean {
  return kind === "config" || kind === "schema";
}

export function isSameLine(one: AcceptableLine, other: AcceptableLine): boolean {
  return one.kind === other.kind && one.text === other.text;
}

/**
 * Returns one line for each setting and schema whose removal would let more runs pass.
 *
 * @param schemas hashes of the schemas that specs name, by path
 */
export function buildRuleLines(
  { verify, validation }: PlannerConfig,
  schemas: ReadonlyMap<string, string>,
): readonly AcceptableLine[] {
  const settings = [
    ...verify.commands.map((text) => `verify.commands: ${text}`),
    ...verify.protect.map((glob) => `verify.protect: ${glob}`),
    ...(verify.require_commit ? ["verify.require_commit: true"] : []),
    ...(verify.require_checks ? ["verify.require_checks: true"] : []),
    ...(validation.strict_output_validation ? ["validation.strict_output_validation: true"] : []),
  ];
  return [
    ...settings.map((text) => ({ kind: "config" as const, text })),
    ...[...schemas].map(([path, hash]) => ({ kind: "schema" as const, text: `${path} ${hash}` })),
  ];
}

/** Returns the stored rules that no longer exist. Ignores schemas that no spec names, because they judge nothing. */
export function findLostRules(
  held: readonly AcceptableLine[],
  now: readonly AcceptableLine[],
): readonly AcceptableLine[] {
  const namedSchemas = new Set(now.flatMap((line) => (line.kind === "schema" ? [getSchemaPath(line)] : [])));
  return held.filter(
    (line) =>
      !now.some((one) => isSameLine(one, line)) && (line.kind !== "schema" || namedSchemas.has(getSchemaPath(line))),
  );
}

function getSchemaPath({ text }: AcceptableLine): string {
  return text.slice(0, text.lastIndexOf(" "));
}

/** Whether a rule judges a spec: every setting does, and the schema that the spec names. */
export function judgesSpec(line: AcceptableLine, { outputSchema }: Pick<Spec, "outputSchema">): boolean {
  return line.kind !== "schema" || getSchemaPath(line) === outputSchema;
}

/** Returns the check commands of a spec's criteria as lines. */
export function buildCheckLines(body: string): readonly AcceptableLine[] {
  return parseCriteria(body).flatMap(({ verify }) =>
    verify === null ? [] : [{ kind: "check" as const, text: verify }],
  );
}

export interface JudgedCriterion extends Pick<Criterion, "label" | "checked" | "verify"> {
  /** True for a criterion that the run removed from the list, reworded or put into a code fence. */
  readonly lost: boolean;
}

/**
 * Returns the criteria that count at the end of a run: those of the original spec, in their order, then those that the
 * run added. Matches criteria with the same text one to one. A removed criterion counts as unchecked. A criterion keeps
 * its original command, so that an agent cannot change its own checks. A criterion without a command takes the command
 * that the run added. What looked like a criterion before counts too, unless it still does, which `describeNearItems`
 * reports. A criterion that the run dropped is lost, because only a person drops one.
 *
 * @param before body of the spec before the run, or null if it is not known
 * @param after body of the spec after the run
 *
 * Source: docs/decisions.md#s-25.
 */
export function judgeCriteria(before: string | null, after: string): readonly JudgedCriterion[] {
  const unmatched = new Map<string, Criterion[]>();
  const { criteria: now, near } = readCriteria(after);
  for (const criterion of now) {
    unmatched.set(criterion.label, [...(unmatched.get(criterion.label) ?? []), criterion]);
  }
  const old = readCriteria(before ?? after);
  const meant = old.near.filter(({ number, label }) => number !== null && near.every((one) => one.label !== label));
  const original = [...old.criteria, ...meant.map(({ label }) => ({ label, verify: null }))];
  const judged = original.map(({ label, verify }): JudgedCriterion => {
    const found = unmatched.get(label)?.shift();
    const check = verify ?? found?.verify ?? null;
    return { label, checked: found?.checked ?? false, lost: found === undefined, verify: check };
  });
  const added = [...unmatched.values()].flat().sort((a, b) => a.line - b.line);
  return [...judged, ...added.map(({ label, checked, verify }) => ({ label, checked, lost: false, verify }))];
}
