import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "#planner/context.ts";
import { findSpec } from "#planner/operations/shared/find_spec.ts";
import { acceptRuleChanges, readProjectRules } from "#planner/operations/shared/held_rules.ts";
import { listChangedCheckFiles } from "#planner/runs/proof/edited_files.ts";
import type { Spec } from "#planner/spec/spec.ts";
import { type AcceptableLine, buildCheckLines, isCommandPrefix, omitAcceptedLines } from "#planner/work/acceptance.ts";
import { listConfigLines } from "#planner/work/config_lines.ts";
import { formatCountOf } from "#words/names.ts";
import {
  askOnTerminal,
  formatCommandLine,
  formatQuestion,
  refuseActionInRun,
  type WaitingCommand,
} from "./accept_commands.ts";
import type { Cli } from "./command.ts";
import { EXIT_STATUS, type ExitStatus } from "./exit_status.ts";
import type { OpenProject } from "./open_project.ts";
import { sanitizeLine } from "./output/plain_text.ts";
import { print, printJson } from "./output/print.ts";
import { isInteractive } from "./output/terminal.ts";
import { UsageError } from "./usage_error.ts";

const CONFIG = ".planner/config.md";

export interface ApproveWords {
  readonly id: string | undefined;
  readonly commands: boolean;
  readonly all: boolean;
  readonly like: string | undefined;
  readonly yes: boolean;
  readonly json: boolean;
}

/** Lists the commands that no person has accepted, with their origins, and accepts them after a yes. */
export async function approveCommands(words: ApproveWords, cli: Cli): Promise<ExitStatus> {
  const { like, yes, json } = words;
  const project = await cli.project();
  refuseActionInRun(project.root, "accept commands");
  if (like !== undefined) return approveByPrefix(project, like, words);
  const waiting = await findUnacceptedLines(project, words);
  if (waiting.length === 0) {
    await refuseOpenApproval(project, words);
    if (json) printJson({ accepted: [] });
    else print("No command waits for acceptance\n");
    return EXIT_STATUS.ok;
  }
  if (!json) print(`${waiting.map(formatWaitingCommand).join("\n")}\n`);
  if (!yes && !(await confirmAcceptance(waiting))) {
    if (json) printJson({ accepted: [], waiting });
    else print("Nothing was accepted\n");
    return EXIT_STATUS.refused;
  }
  await acceptRuleChanges(
    project.context,
    waiting.map(({ kind, text }) => ({ kind, text })),
  );
  if (json) printJson({ accepted: waiting });
  else print(`Accepted: ${formatCountOf(waiting.length, "command")}\n`);
  return EXIT_STATUS.ok;
}

/** @throws UsageError if the spec requires approval, because the person then meant to approve the spec itself */
async function refuseOpenApproval({ context }: OpenProject, { id }: ApproveWords): Promise<void> {
  if (id === undefined) return;
  const { approval } = await findSpec(context, id, { archived: true });
  if (approval?.required !== true || approval.status === "approved") return;
  throw new UsageError('Missing "--by <name>": who approves', null);
}

async function confirmAcceptance(waiting: readonly WaitingCommand[]): Promise<boolean> {
  if (!isInteractive()) throw new UsageError('No terminal to ask on: expected "--yes"', null);
  return askOnTerminal(formatQuestion(waiting));
}

async function approveByPrefix({ context }: OpenProject, prefix: string, { yes, json }: ApproveWords) {
  if (!isCommandPrefix(prefix))
    throw new UsageError(`Wrong value "${prefix}" for "--like": expected the beginning of a command`, null);
  if (!yes) {
    if (!isInteractive()) throw new UsageError('No terminal to ask on: expected "--yes"', null);
    const question = `Run checks that begin with "${sanitizeLine(prefix)}", with plain words behind it, from now on? [y/N] `;
    if (!askOnTerminal(question)) return EXIT_STATUS.refused;
  }
  await (await context.accepted()).acceptLike(prefix);
  if (json) printJson({ accepted: [{ kind: "prefix", text: prefix }] });
  else print(`Accepted: checks that begin with "${sanitizeLine(prefix)}"\n`);
  return EXIT_STATUS.ok;
}

/** Returns the unaccepted commands of a spec, of the settings, or of both. */
async function findUnacceptedLines(
  project: OpenProject,
  { id, commands, all }: ApproveWords,
): Promise<readonly WaitingCommand[]> {
  const { context } = project;
  const specs =
    id === undefined
      ? all
        ? (await context.specs.active()).specs
        : []
      : [await findSpec(context, id, { archived: true })];
  const found: WaitingCommand[] = [];
  const accepted = await (await context.accepted()).read();
  const add = async (lines: readonly AcceptableLine[], from: string, file: string): Promise<void> => {
    for (const line of omitAcceptedLines(accepted, lines)) {
      if (found.some(({ kind, text }) => kind === line.kind && text === line.text)) continue;
      found.push({ ...line, ...(await findOriginCommit(context, line, { from, file })) });
    }
  };
  if (commands || all) {
    const { lost } = await readProjectRules(context);
    await add([...listConfigLines(await context.config()), ...lost], CONFIG, CONFIG);
  }
  for (const spec of specs) {
    await add(buildCheckLines(spec.body), spec.id, spec.file);
    await add(await findCheckFiles(project, spec), spec.id, spec.file);
  }
  return found;
}

/** Returns the origin of a line and the commit that wrote it. The origin of a schema is its path, without a commit. */
async function findOriginCommit(
  { git }: PlannerContext,
  { kind, text }: AcceptableLine,
  { from, file }: { readonly from: string; readonly file: string },
): Promise<Pick<WaitingCommand, "from" | "commit">> {
  if (kind === "schema") return { from: text.slice(0, text.lastIndexOf(" ")), commit: null };
  const value = kind === "config" || kind === "provider" ? text.slice(text.indexOf(": ") + 2) : text;
  return {
    from,
    commit: await git.lastWriting(file, kind === "provider" ? formatSettingValues(JSON.parse(value)) : [value]),
  };
}

/** Formats each value of a provider's settings as YAML, as the settings file contains them. */
function formatSettingValues(settings: Record<string, unknown>): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (typeof value === "object" && value !== null) return Object.values(value).map(String);
    return typeof value === "string" ? [value] : [`${name}: ${value}`];
  });
}

/** Returns the files of the spec's branch on which its checks depend. */
async function findCheckFiles({ context }: OpenProject, spec: Spec): Promise<readonly AcceptableLine[]> {
  if (buildCheckLines(spec.body).length === 0) return [];
  const { worktrees } = await context.runs();
  try {
    return await listChangedCheckFiles(
      (await worktrees.find(spec.id)) ?? null,
      spec.body,
      (await context.config()).verify.protect,
    );
  } catch (error) {
    if (error instanceof OperationError) return [];
    throw error;
  }
}

function formatWaitingCommand({ from, commit, ...line }: WaitingCommand): string {
  return `${formatCommandLine(line)}\n           from ${from}, ${commit === null ? "in no commit" : `last written by ${sanitizeLine(commit)}`}`;
}
