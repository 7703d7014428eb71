import type { PlannerConfig } from "../config/config.ts";
import { parseCriteria } from "../spec/criteria.ts";
import type { Provider } from "./providers.ts";

/**
 * What a person accepts: the check of a criterion, a line of `verify.commands` or `worktree.setup`, how an agent is
 * started; a file of a branch by which a check judges, that a spec is completed without proof, and that a setting or
 * a schema no longer judges runs.
 */
const LINE_KINDS = ["check", "verify", "setup", "provider", "file", "unproven", "config", "schema"] as const;
export type LineKind = (typeof LINE_KINDS)[number];

/** One text that decides what runs, with its kind. */
export interface CommandLine {
  readonly kind: LineKind;
  readonly text: string;
}

/** The commands that a person of this machine has accepted for a project. */
export interface AcceptedCommands {
  /** Whether every command of the project counts as accepted. */
  readonly trusted: boolean;
  /** Beginnings of checks that are accepted with any plain words behind them. */
  readonly prefixes: readonly string[];
  /** Settings and schemas that judged runs until now, whatever the project's files say. */
  readonly held: readonly CommandLine[];
  /** Whether this very text was accepted as a line of this kind. */
  has(line: CommandLine): boolean;
}

/** Commands accepted for one project, kept outside of its repository. Source: docs/decisions.md#s-61. */
export interface Acceptance {
  /** Absolute path of the list. */
  readonly file: string;
  /** @throws OperationError `failed_precondition` if the file is not this person's own, or cannot be read as a list */
  read(): Promise<AcceptedCommands>;
  accept(lines: readonly CommandLine[]): Promise<void>;
  /** Notes the settings and schemas that judge runs: they do so until a person accepts that they are gone. */
  hold(rules: readonly CommandLine[]): Promise<void>;
  /** @param prefix see `isPrefix` */
  acceptLike(prefix: string): Promise<void>;
  trust(on: boolean): Promise<void>;
}

/** Whether the command may run. A line of `verify.commands` that is accepted is accepted as a check as well. */
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

// Anything else could be a way to a shell: a flag, a substitution, a second command.
const PLAIN_WORD = /^(?!-)[A-Za-z0-9_.:/@+-]+$/;

/** Whether a text can begin commands: words that end in a blank or, as `npm test --`, in a word of dashes. */
export function isPrefix(text: string): boolean {
  return text === text.trim() && text !== "" && !/[\r\n\0]/.test(text);
}

/** Whether a command is the prefix with plain words behind it. */
function isLike(command: string, prefix: string): boolean {
  if (!command.startsWith(`${prefix} `)) return false;
  const words = command.slice(prefix.length + 1).split(" ");
  return words.every(
    (word) => PLAIN_WORD.test(word) && !word.split("/").includes("..") && !/(?:^|[/:@+=])\.planner(?:$|\/)/i.test(word),
  );
}

/** How an agent is started, as one line; null where the settings change nothing of planner's own row. */
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

/** That a person completes a spec without proof, and why. */
export function unprovenLine(id: string, why: string): CommandLine {
  return { kind: "unproven", text: `${id}: ${why}` };
}

/** Whether a line is one by which runs are judged; such a line is no command. */
export function isRule({ kind }: CommandLine): boolean {
  return kind === "config" || kind === "schema";
}

export function isSameLine(one: CommandLine, other: CommandLine): boolean {
  return one.kind === other.kind && one.text === other.text;
}

/**
 * What judges runs, a line for each thing whose removal lets more pass.
 *
 * @param schemas hashes of the schemas that specs name, by the path that they name
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

/** The lines that held and do not any more. A schema that no spec names judges nothing. */
export function lostRules(held: readonly CommandLine[], now: readonly CommandLine[]): readonly CommandLine[] {
  const pathOf = ({ text }: CommandLine): string => text.slice(0, text.lastIndexOf(" "));
  const named = new Set(now.flatMap((line) => (line.kind === "schema" ? [pathOf(line)] : [])));
  return held.filter(
    (line) => !now.some((one) => isSameLine(one, line)) && (line.kind !== "schema" || named.has(pathOf(line))),
  );
}

/** The checks that the criteria of a spec name. */
export function checkLines(body: string): readonly CommandLine[] {
  return parseCriteria(body).flatMap(({ verify }) =>
    verify === null ? [] : [{ kind: "check" as const, text: verify }],
  );
}
