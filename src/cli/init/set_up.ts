import { lstatSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { describeSystemError, getErrorCode } from "#planner/store/files/disk_error.ts";
import type { ConfigEditResult } from "#planner/work/mcp_config/config_edit.ts";
import { createFile, replaceFile } from "../output/write_file.ts";
import { AGENT_NAMES, AGENTS, type AgentName } from "./agents.ts";
import { appendSection, DENY_RULES, type GuideState, inspectGuide, listGuideFiles } from "./guide_files.ts";
import { type InitialSettings, listProjectFiles } from "./project_files.ts";

/** Input of `init`, from the wizard or the flags. */
export interface Setup extends InitialSettings {
  readonly agents: readonly AgentName[];
  /** True to check specs before every commit. */
  readonly hook: boolean;
  /** True to write instructions for agents into the files that they read. */
  readonly guide: boolean;
}

/** Result for one file. `other` means that the file's entry named planner has other content; the entry stays. */
export interface SetupStep {
  readonly file: string;
  readonly outcome: "created" | "extended" | "present" | "other";
  readonly note: string | null;
}

interface FilePlan {
  readonly file: string;
  readonly exists: boolean;
  readonly edit: ConfigEditResult;
  readonly note: string | null;
}

/**
 * Creates `.planner/` under `root` and extends the agents' configurations. Never replaces existing files, so a second
 * run adds only missing ones, and renews unedited texts of an earlier version. Reads and checks every existing file before it writes the first one, so that it writes
 * nothing if a configuration is invalid.
 */
export async function setUpProject(root: string, setup: Setup): Promise<readonly SetupStep[]> {
  const { agents, hook, guide } = setup;
  assertPlannerIsFolder(root);
  const plans = [
    ...(await planAgents(root, agents)),
    ...(guide ? planGuideFiles(root, agents) : planStaleTexts(root)),
    ...(agents.includes("claude") ? await planDenyRules(root, guide) : []),
  ];
  const hookInstaller = hook || (await hasStaleHook(root)) ? await planHook(root) : undefined;
  const steps = listProjectFiles(setup).map(({ path, text }): SetupStep => {
    const file = `.planner/${path}`;
    // A folder that is not writable is an error only if something must be written.
    const isThere = lstatSync(join(root, file), { throwIfNoEntry: false }) !== undefined;
    return { file, outcome: !isThere && createFile(join(root, file), text) ? "created" : "present", note: null };
  });
  steps.push(...plans.map((plan) => applyPlan(root, plan)));
  if (hookInstaller !== undefined) steps.push(await hookInstaller());
  return steps;
}

function assertPlannerIsFolder(root: string): void {
  const path = join(root, ".planner");
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isDirectory() === true) return;
  const what = there === undefined ? "a symbolic link that leads nowhere" : "a file";
  throw new OperationError("failed_precondition", `Cannot make a project: ".planner" is ${what}: expected a folder`);
}

const importHookModules = () => Promise.all([import("../git/repository.ts"), import("../hook/hook_file.ts")]);

async function hasStaleHook(root: string): Promise<boolean> {
  const [{ findRepository }, { readHookState }] = await importHookModules();
  const repository = await findRepository(root);
  if (repository === undefined) return false;
  const { installed, stale } = await readHookState(repository);
  return installed && stale;
}

// The repository is read before anything is written, because a hook that cannot be installed fails the whole setup.
async function planHook(root: string): Promise<() => Promise<SetupStep>> {
  const [{ requireRepository }, { readHookState: hookState, installHook }, { getSelfCommand: selfCommand }] =
    await Promise.all([
      import("../git/repository.ts"),
      import("../hook/hook_file.ts"),
      import("#runtime/self_command.ts"),
    ]);
  const repository = await requireRepository(root);
  return async () => {
    const written = await installHook(repository, selfCommand());
    const { path, kept } = await hookState(repository);
    const note = kept === null ? null : `${relative(root, kept)} runs first`;
    return { file: relative(root, path), outcome: written ? "created" : "present", note: written ? note : null };
  };
}

// Two agents may share one file (claude and generic); the second one then extends the result of the first.
async function planAgents(root: string, names: readonly AgentName[]): Promise<readonly FilePlan[]> {
  const plans = new Map<string, FilePlan>();
  for (const name of names) {
    const { files, note, extend } = AGENTS[name];
    const file = files.find((each) => statSync(join(root, each), { throwIfNoEntry: false }) !== undefined) ?? files[0];
    const earlier = plans.get(file);
    const there = readTextFile(root, file);
    const text = earlier?.edit.kind === "added" ? earlier.edit.text : there;
    const edit = await extend(file, text ?? "");
    if (earlier === undefined || edit.kind === "added") {
      plans.set(file, { file, exists: there !== undefined, edit, note: earlier?.note ?? note });
    }
  }
  return [...plans.values()];
}

function planGuideFiles(root: string, agents: readonly AgentName[]): readonly FilePlan[] {
  return listGuideFiles(agents).map(({ path, text, isSection }): FilePlan => {
    const before = readTextFile(root, path);
    if (before === undefined) return { file: path, exists: false, edit: { kind: "added", text }, note: null };
    const state = inspectGuide({ path, text, isSection }, before);
    if (state.kind === "absent")
      return { file: path, exists: true, edit: { kind: "added", text: appendSection(before, text) }, note: null };
    if (state.kind === "stale")
      return { file: path, exists: true, edit: { kind: "added", text: state.renewed }, note: "renewed" };
    return { file: path, exists: true, edit: { kind: "present" }, note: null };
  });
}

/** Renews the texts of an earlier version in a setup without instructions for agents. */
function planStaleTexts(root: string): readonly FilePlan[] {
  return inspectTexts(root).flatMap(({ path: file, state }): FilePlan[] =>
    state.kind === "stale"
      ? [{ file, exists: true, edit: { kind: "added", text: state.renewed }, note: "renewed" }]
      : [],
  );
}

/** Inspects every file for agents that exists and is readable. */
function inspectTexts(root: string): readonly { readonly path: string; readonly state: GuideState }[] {
  return listGuideFiles(AGENT_NAMES).flatMap((guide) => {
    try {
      const before = readTextFile(root, guide.path);
      return before === undefined ? [] : [{ path: guide.path, state: inspectGuide(guide, before) }];
    } catch (error) {
      // A file that planner cannot read has no text of planner's.
      if (error instanceof OperationError) return [];
      throw error;
    }
  });
}

function listStaleTexts(root: string): readonly string[] {
  return inspectTexts(root).flatMap(({ path, state: { kind } }) => {
    if (kind === "stale") return [describeStale(path)];
    if (kind !== "edited") return [];
    return [
      `"${path}" has planner's text of an earlier version, with changes: compare it with "planner prime", or remove it and run "planner init --guide"`,
    ];
  });
}

/** Returns what planner wrote of an earlier version into the project's files and hooks, a sentence each. */
export async function listStale(root: string): Promise<readonly string[]> {
  const [{ findRepository }, { readHookState }] = await importHookModules();
  const texts = listStaleTexts(root);
  try {
    const repository = await findRepository(root);
    const state = repository === undefined ? null : await readHookState(repository);
    return state?.stale === true ? [...texts, describeStale(state.path)] : texts;
  } catch (error) {
    // Doctor's checks report a repository that git refuses to use.
    if (error instanceof OperationError) return texts;
    throw error;
  }
}

const describeStale = (path: string): string =>
  `"${path}" has planner's text of an earlier version: "planner init" renews it`;

/** Adds the rules to an existing settings file; creates one only if the instructions (`guide`) are requested. */
async function planDenyRules(root: string, guide: boolean): Promise<readonly FilePlan[]> {
  const { file, path, rules } = DENY_RULES;
  const before = readTextFile(root, file);
  if (before === undefined && !guide) return [];
  const { extendJsonList } = await import("#planner/work/mcp_config/json_config.ts");
  const edit = extendJsonList(file, before ?? "", path, rules);
  return [
    {
      file,
      exists: before !== undefined,
      edit,
      note: before === undefined ? null : "denies planner approve and planner trust",
    },
  ];
}

function applyPlan(root: string, { file, exists, edit, note }: FilePlan): SetupStep {
  if (edit.kind !== "added") return { file, outcome: edit.kind, note: null };
  const path = join(root, file);
  if (exists) {
    replaceFile(path, edit.text);
    return { file, outcome: "extended", note };
  }
  if (createFile(path, edit.text)) return { file, outcome: "created", note };
  throw new OperationError("aborted", `Cannot write "${file}": it appeared meanwhile; run the command again`);
}

function readTextFile(root: string, file: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(join(root, file)));
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return undefined;
    throw new OperationError("failed_precondition", `Cannot read "${file}": ${describeSystemError(error)}`, {
      cause: error,
    });
  }
}
