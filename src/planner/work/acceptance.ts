import type { PlannerConfig } from "../config/config.ts";
import { parseCriteria } from "../spec/criteria.ts";
import type { Provider } from "./providers.ts";

/**
 * Kinds of decisions that a person accepts: the check of a criterion, a line of `verify.commands` or `worktree.setup`,
 * the start command of an agent; a branch's version of a file on which a check depends, the completion of a spec
 * without proof, and the removal of a setting or schema that judged runs.
 */
const LINE_KINDS = ["check", "verify", "setup", "provider", "file", "unproven", "config", "schema"] as const;
export type LineKind = (typeof LINE_KINDS)[number];

/** One accepted text, such as a command, with its kind. */
export interface CommandLine {
  readonly kind: LineKind;
  readonly text: string;
}

/** The commands that a person on this machine has accepted for a project. */
export interface AcceptedCommands {
  /** Whether every command of the project counts as accepted. */
  readonly trusted: boolean;
  /** Prefixes of checks that are accepted with any plain words after them. */
  readonly prefixes: readonly string[];
  /** Settings and schemas that have judged runs so far, even if the project's files no longer contain them. */
  readonly held: readonly CommandLine[];
  /** Whether exactly this text was accepted as a line of this kind. */
  has(line: CommandLine): boolean;
}

/** Commands accepted for one project, kept outside of its repository. Source: docs/decisions.md#s-61. */
export interface Acceptance {
  /** Absolute path of the file with the accepted commands. */
  readonly file: string;
  /** Reads the file. @throws OperationError `failed_precondition` if it belongs to another user, or cannot be parsed */
  read(): Promise<AcceptedCommands>;
  accept(lines: readonly CommandLine[]): Promise<void>;
  /** Stores the settings and schemas that judge runs. They continue to judge until a person accepts their removal. */
  hold(rules: readonly CommandLine[]): Promise<void>;
  /** Accepts every check that is the prefix with plain words after it. @param prefix see `isPrefix` */
  acceptLike(prefix: string): Promise<void>;
  trust(on: boolean): Promise<void>;
}

/** Whether the command may run. An accepted line of `verify.commands` is also accepted as a check. */
export function isAccepted(accepted: AcceptedCommands, line: CommandLine): boolean {
  if (isRule(line)) return !accepted.held.some((one) => isSameLine(one, line));
  const isCommand = line.kind !== "file" && line.kind !== "unproven";
  if ((accepted.trusted && isCommand) || accepted.has(line)) return true;
  if (line.kind !== "check") return false;
  return accepted.has({ ...line, kind: "verify" }) || accepted.prefixes.some((prefix) => isLike(line.text, prefix));
}

export function withoutAccepted(accepted: AcceptedCommands, lines: readonly CommandLine[]): readonly CommandLine[] {
  const known = new Set<string>();
  return lines.filter((line) => {
    const key = `${line.kind}\0${line.text}`;
    if (known.has(key) || isAccepted(accepted, line)) return false;
    known.add(key);
    return true;
  });
}

// A word that a shell takes literally. Other words could run something else: a flag, a substitution, a second
// command.
const PLAIN_WORD = /^(?!-)[A-Za-z0-9_.:/@+-]+$/;

/**
 * Whether a text may serve as a prefix of commands: words that end in a blank or, as `npm test --` does, in a word of
 * dashes.
 */
export function isPrefix(text: string): boolean {
  return text === text.trim() && text !== "" && !/[\r\n\0]/.test(text);
}

/** Whether a command consists of the prefix and plain words after it. */
function isLike(command: string, prefix: string): boolean {
  if (!command.startsWith(`${prefix} `)) return false;
  const words = command.slice(prefix.length + 1).split(" ");
  return words.every(
    (word) => PLAIN_WORD.test(word) && !word.split("/").includes("..") && !/(?:^|[/:@+=])\.planner(?:$|\/)/i.test(word),
  );
}

/** Returns an agent's start settings as one line; null if the settings equal planner's own row. */
export function providerLine({ name, row, program, extraArgs, env, skipsPermissions }: Provider): CommandLine | null {
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
export function unprovenLine(id: string, why: string): CommandLine {
  return { kind: "unproven", text: `${id}: ${why}` };
}

/** Whether a line is a setting or schema that judges runs, and not a command. */
export function isRule({ kind }: CommandLine): boolean {
  return kind === "config" || kind === "schema";
}

export function isSameLine(one: CommandLine, other: CommandLine): boolean {
  return one.kind === other.kind && one.text === other.text;
}

/**
 * Returns one line for each setting and schema whose removal would let more runs pass.
 *
 * @param schemas hashes of the schemas that specs name, by path
 */
export function ruleLines(
  { verify, validation }: PlannerConfig,
  schemas: ReadonlyMap<string, string>,
): readonly CommandLine[] {
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
export function lostRules(held: readonly CommandLine[], now: readonly CommandLine[]): readonly CommandLine[] {
  const pathOf = ({ text }: CommandLine): string => text.slice(0, text.lastIndexOf(" "));
  const named = new Set(now.flatMap((line) => (line.kind === "schema" ? [pathOf(line)] : [])));
  return held.filter(
    (line) => !now.some((one) => isSameLine(one, line)) && (line.kind !== "schema" || named.has(pathOf(line))),
  );
}

/** Returns the check commands of a spec's criteria as lines. */
export function checkLines(body: string): readonly CommandLine[] {
  return parseCriteria(body).flatMap(({ verify }) =>
    verify === null ? [] : [{ kind: "check" as const, text: verify }],
  );
}
