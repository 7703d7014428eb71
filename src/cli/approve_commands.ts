import { OperationError } from "#kernel/errors.ts";
import { CONFIG_FILE } from "#planner/config/config.ts";
import type { PlannerContext } from "#planner/context.ts";
import { findSpec } from "#planner/operations/shared/find_spec.ts";
import { acceptLinesAndRules, readProjectRules } from "#planner/operations/shared/held_rules.ts";
import { listChangedCheckFiles } from "#planner/runs/proof/edited_files.ts";
import type { Spec } from "#planner/spec/spec.ts";
import { type AcceptableLine, buildCheckLines, isCommandPrefix, omitAcceptedLines } from "#planner/work/acceptance.ts";
import { listConfigLines } from "#planner/work/config_lines.ts";
import { formatCountWithNoun } from "#words/names.ts";
import type { ApproveArgs } from "./commands/spec/approve.ts";
import {
  confirmOnTerminal,
  formatAcceptQuestion,
  formatCommandLine,
  requireOutsideRun,
  type UnacceptedCommand,
} from "./consent.ts";
import type { Cli } from "./declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "./exit_status.ts";
import type { OpenedProject } from "./open_project.ts";
import { isInteractive, print, printJson, sanitizeLine } from "./output/print.ts";
import { UsageError } from "./usage_error.ts";

type AcceptArgs = Omit<ApproveArgs, "by" | "reason">;

/** Lists the commands that no person has accepted, with their origins, and accepts them after a yes. */
export async function approveCommands(words: AcceptArgs, cli: Cli): Promise<ExitStatus> {
  const { like, yes, json } = words;
  const project = await cli.openProject();
  requireOutsideRun(project.root, "accept commands");
  if (like !== undefined) return approveCommandPrefix(project, like, words);
  const waiting = await findUnacceptedLines(project, words);
  if (waiting.length === 0) {
    await requireNoOpenApproval(project, words);
    if (json) printJson({ accepted: [] });
    else print("No command waits for acceptance\n");
    return EXIT_STATUS.ok;
  }
  if (!json) print(`${waiting.map(formatWaitingCommand).join("\n")}\n`);
  if (!yes && !confirmAcceptance(formatAcceptQuestion(waiting))) {
    if (json) printJson({ accepted: [], waiting });
    else print("Nothing was accepted\n");
    return EXIT_STATUS.refused;
  }
  await acceptLinesAndRules(
    project.context,
    waiting.map(({ kind, text }) => ({ kind, text })),
  );
  if (json) printJson({ accepted: waiting });
  else print(`Accepted: ${formatCountWithNoun(waiting.length, "command")}\n`);
  return EXIT_STATUS.ok;
}

/** @throws UsageError if the spec requires approval, because the person then meant to approve the spec itself */
async function requireNoOpenApproval({ context }: OpenedProject, { id }: AcceptArgs): Promise<void> {
  if (id === undefined) return;
  const { approval } = await findSpec(context, id, { archived: true });
  if (approval?.required !== true || approval.status === "approved") return;
  throw new UsageError('Missing "--by <name>": who approves', null);
}

function confirmAcceptance(question: string): boolean {
  if (!isInteractive()) throw new UsageError('No terminal to ask on: expected "--yes"', null);
  return confirmOnTerminal(question);
}

async function approveCommandPrefix({ context }: OpenedProject, prefix: string, { yes, json }: AcceptArgs) {
  if (!isCommandPrefix(prefix))
    throw new UsageError(`Wrong value "${prefix}" for "--like": expected the beginning of a command`, null);
  const question = `Run checks that begin with "${sanitizeLine(prefix)}", with plain words behind it, from now on? [y/N] `;
  if (!yes && !confirmAcceptance(question)) return EXIT_STATUS.refused;
  await (await context.openAcceptance()).acceptPrefix(prefix);
  if (json) printJson({ accepted: [{ kind: "prefix", text: prefix }] });
  else print(`Accepted: checks that begin with "${sanitizeLine(prefix)}"\n`);
  return EXIT_STATUS.ok;
}

/** Returns the unaccepted commands of a spec, of the settings, or of both. */
async function findUnacceptedLines(
  project: OpenedProject,
  { id, commands, all }: AcceptArgs,
): Promise<readonly UnacceptedCommand[]> {
  const { context } = project;
  const specs =
    id === undefined
      ? all
        ? (await context.specs.readActive()).specs
        : []
      : [await findSpec(context, id, { archived: true })];
  const found: UnacceptedCommand[] = [];
  const accepted = await (await context.openAcceptance()).read();
  const add = async (lines: readonly AcceptableLine[], from: string, file: string): Promise<void> => {
    for (const line of omitAcceptedLines(accepted, lines)) {
      if (found.some(({ kind, text }) => kind === line.kind && text === line.text)) continue;
      found.push({ ...line, ...(await findOriginCommit(context, line, { from, file })) });
    }
  };
  if (commands || all) {
    const { lost } = await readProjectRules(context);
    await add([...listConfigLines(await context.readConfig()), ...lost], CONFIG_FILE, CONFIG_FILE);
  }
  for (const spec of specs) {
    await add(buildCheckLines(spec.body), spec.id, spec.file);
    await add(await findCheckFileLines(project, spec), spec.id, spec.file);
  }
  return found;
}

/** Returns the origin of a line and the commit that wrote it. The origin of a schema is its path, without a commit. */
async function findOriginCommit(
  { git }: PlannerContext,
  { kind, text }: AcceptableLine,
  { from, file }: { readonly from: string; readonly file: string },
): Promise<Pick<UnacceptedCommand, "from" | "commit">> {
  if (kind === "schema") return { from: text.slice(0, text.lastIndexOf(" ")), commit: null };
  const value = kind === "config" || kind === "provider" ? text.slice(text.indexOf(": ") + 2) : text;
  return {
    from,
    commit: await git.findLastChange(file, kind === "provider" ? formatSettingValues(JSON.parse(value)) : [value]),
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
async function findCheckFileLines({ context }: OpenedProject, spec: Spec): Promise<readonly AcceptableLine[]> {
  if (buildCheckLines(spec.body).length === 0) return [];
  const { worktrees } = await context.openRuns();
  try {
    return await listChangedCheckFiles(
      (await worktrees.findWorktree(spec.id)) ?? null,
      spec.body,
      (await context.readConfig()).verify.protect,
    );
  } catch (error) {
    if (error instanceof OperationError) return [];
    throw error;
  }
}

function formatWaitingCommand({ from, commit, ...line }: UnacceptedCommand): string {
  return `${formatCommandLine(line)}\n           from ${from}, ${commit === null ? "in no commit" : `last written by ${sanitizeLine(commit)}`}`;
}
