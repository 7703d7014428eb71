import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";

export interface GitCall {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the repository's hooks run: true only for commits, rebases and merges of a person. */
  readonly hooks?: boolean;
  /**
   * Whether the call belongs to work that a person started and that changes the repository. Only then may the
   * repository's own settings name filters, merge drivers and remotes to fetch from.
   */
  readonly writes?: boolean;
  /** Whether the call contacts a remote. Such a call gets a separate process group and never prompts. */
  readonly remote?: boolean;
  /** `inherited` if a hook's environment names the repository and the index; by default git searches from `cwd`. */
  readonly locations?: "inherited";
}

/** Git commands that change the repository or a working tree. All others only read. */
const WRITING_COMMANDS: ReadonlySet<string> = new Set(
  "add branch checkout commit commit-tree fast-import hook merge rebase reset restore rm submodule worktree".split(" "),
);

/** Git commands that run no filter, merge driver or hook. Before any other read command, git's settings are read. */
const PROGRAM_FREE_COMMANDS: ReadonlySet<string> = new Set(
  "cat-file cherry check-ref-format config for-each-ref grep log ls-files ls-tree merge-base merge-file patch-id rev-list rev-parse symbolic-ref update-ref var".split(
    " ",
  ),
);

/** Flags, by command, that keep git from running programs for differences and signatures. */
const SAFE_FLAGS: Readonly<Record<string, readonly string[]>> = {
  diff: ["--no-ext-diff", "--no-textconv"],
  "diff-tree": ["--no-ext-diff", "--no-textconv"],
  grep: ["--no-textconv", "--no-recurse-submodules"],
  log: ["--no-ext-diff", "--no-textconv", "--no-show-signature"],
};

/** Flags against programs in a submodule's settings, which git would run to find changes in the submodule. */
const SUBMODULE_FLAGS: Readonly<Record<string, readonly string[]>> = {
  diff: ["--ignore-submodules=dirty"],
  status: ["--ignore-submodules=dirty"],
};

const SAFE_SETTINGS = ["-c", "core.fsmonitor=false", "-c", "advice.graftFileDeprecated=false"];
const NO_HOOKS_SETTINGS = ["-c", "core.hooksPath=/dev/null"];

/** Variables that a hook sets and that would direct git to the hook's repository, wherever git is started. */
const GIT_LOCATION_VARIABLES: ReadonlySet<string> = new Set([
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_PREFIX",
  "GIT_COMMON_DIR",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_NAMESPACE",
  "GIT_QUARANTINE_PATH",
]);

const QUIET_VARIABLES = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "true",
  SSH_ASKPASS: "true",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  // Prevents read-only commands from failing while another command has locked the index.
  GIT_OPTIONAL_LOCKS: "0",
  GIT_LITERAL_PATHSPECS: "1",
  // Reads the object itself, not its replacement (git replace).
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null",
};

/** Variables that prevent credential helpers from opening a window, and ssh from prompting. */
const NO_PROMPT_VARIABLES = { GCM_INTERACTIVE: "never", SSH_ASKPASS_REQUIRE: "never" };

/** Variables that keep read commands from fetching. Older gits know only the first, which forbids every protocol. */
const OFFLINE_VARIABLES = { GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1" };

/** Value that disables a program, by the last word of the setting's name. */
const DISABLED_VALUES: Readonly<Record<string, string>> = {
  clean: "",
  smudge: "",
  process: "",
  required: "false",
  driver: "git merge-file -q --marker-size=%L %A %O %B",
  enabled: "false",
};

/** Matches settings of a filter, merge driver or hook; captures its name and the setting. */
const PROGRAM_SETTING_PATTERN =
  /^((?:filter|merge|hook)\..+)\.(clean|smudge|process|required|driver|command|event|enabled)$/s;

/** Scopes of settings that no repository can set. */
const PERSONAL_SCOPES: ReadonlySet<string> = new Set(["system", "global", "command"]);

/** A git call ready to start. Starting is synchronous, so listeners added at once receive errors of the start. */
export interface ReadyGit {
  /** Whether git leads a process group, because it may start filters, hooks or programs that sign. */
  readonly group: boolean;
  start(): ChildProcessWithoutNullStreams;
}

/** Milliseconds that all gits together may still take once this process has been asked to end. */
const INTERRUPTED_LIMIT_MS = 1200;

let interruption: AbortSignal | null = null;
/** Whether a git had to be ended after the interruption. Then all others are, at once. */
let isHung = false;

/** Sets the signal that asks this process to end, after which gits have little time. Null ends this. */
export function setInterruption(signal: AbortSignal | null): void {
  interruption = signal;
  isHung = false;
}

/** Calls `stop` if the call still runs some time after the interruption. @returns a function to call at its end */
export function hurryOnInterrupt(stop: () => void): () => void {
  const signal = interruption;
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    timer = setTimeout(
      () => {
        isHung = true;
        stop();
      },
      isHung ? 0 : INTERRUPTED_LIMIT_MS,
    );
  };
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener("abort", onAbort);
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
}

/** Prepares a git call. Read commands run no program that the repository names, and fetch nothing. */
export async function prepareGit(call: GitCall): Promise<ReadyGit> {
  const { cwd, args, hooks = false } = call;
  const command = getGitCommand(args);
  const writes = call.writes === true || hooks || WRITING_COMMANDS.has(command);
  const inherited = call.locations === "inherited" ? process.env : removeGitLocations(process.env);
  const { GIT_EXTERNAL_DIFF: _ignored, ...given } = {
    ...inherited,
    ...QUIET_VARIABLES,
    ...call.env,
  } as NodeJS.ProcessEnv;
  const env = { ...given, ...(writes ? {} : OFFLINE_VARIABLES), ...(call.remote ? NO_PROMPT_VARIABLES : {}) };
  const without =
    writes || PROGRAM_FREE_COMMANDS.has(command) ? {} : disablePrograms(await readGitSettings(cwd, env), env);
  const words = [...(hooks ? [] : NO_HOOKS_SETTINGS), ...addSafeFlags(args, writes)];
  const group = (call.remote === true || writes) && process.platform !== "win32";
  return { group, start: () => spawnGit(cwd, words, { ...env, ...without }, group) };
}

export function removeGitLocations(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !GIT_LOCATION_VARIABLES.has(name)));
}

/** Returns an environment with one additional git setting. */
export function addGitSetting(key: string, value: string, env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const count = Number(env["GIT_CONFIG_COUNT"] ?? 0);
  const next = Number.isSafeInteger(count) && count > 0 ? count : 0;
  return { GIT_CONFIG_COUNT: String(next + 1), [`GIT_CONFIG_KEY_${next}`]: key, [`GIT_CONFIG_VALUE_${next}`]: value };
}

function spawnGit(
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  ownGroup = false,
): ChildProcessWithoutNullStreams {
  const words = ["--no-pager", ...SAFE_SETTINGS, ...args];
  const options = { cwd, env, windowsHide: true, detached: ownGroup };
  const child = spawn("git", words, { ...options, stdio: ["pipe", "pipe", "pipe"] });
  // Without free file descriptors there is no pipe; the event "error" then reports the cause.
  for (const name of ["stdin", "stdout", "stderr"] as const) {
    if ((child[name] as unknown) == null) Object.defineProperty(child, name, { value: new PassThrough() });
  }
  return child;
}

/** Starts a read-only git on this terminal, in the user's pager. Settings of the repository cannot name the pager. */
export async function startPagedGit({ cwd, args }: Pick<GitCall, "cwd" | "args">): Promise<ChildProcess> {
  const { LC_ALL: _ours, ...quiet } = QUIET_VARIABLES;
  const given = { ...removeGitLocations(process.env), ...quiet, ...OFFLINE_VARIABLES } as NodeJS.ProcessEnv;
  const { GIT_EXTERNAL_DIFF: _ignored, ...env } = given;
  const settings = await readGitSettings(cwd, env);
  const pager = env["GIT_PAGER"] ?? settings.own.get("core.pager") ?? env["PAGER"] ?? "less";
  const words = ["--paginate", ...SAFE_SETTINGS, ...NO_HOOKS_SETTINGS, ...addSafeFlags(args, false)];
  const whole = { ...env, ...disablePrograms(settings, env), GIT_PAGER: pager };
  return spawn("git", words, { cwd, env: whole, stdio: "inherit" });
}

/** Returns the index of the command's name, after settings given with `-c`. */
function findCommandIndex(args: readonly string[]): number {
  let at = 0;
  while (args[at] === "-c") at += 2;
  return at;
}

export function getGitCommand(args: readonly string[]): string {
  return args[findCommandIndex(args)] ?? "";
}

function addSafeFlags(args: readonly string[], writes: boolean): readonly string[] {
  const at = findCommandIndex(args) + 1;
  const command = args[at - 1] ?? "";
  return [
    ...args.slice(0, at),
    ...(SAFE_FLAGS[command] ?? []),
    ...(writes ? [] : (SUBMODULE_FLAGS[command] ?? [])),
    ...args.slice(at),
  ];
}

/** Git settings of the user and the system by name, and the names of all other settings. */
interface GitSettings {
  readonly own: ReadonlyMap<string, string>;
  readonly otherNames: ReadonlySet<string>;
}

/** Maximum duration of a listing of git's settings in milliseconds. Chosen by planner: it takes some milliseconds. */
const SETTINGS_LIMIT_MS = 10_000;

/** Reads the settings on which calls of git depend, as they apply in `cwd`. Cost: one git process. */
async function readGitSettings(cwd: string, env: NodeJS.ProcessEnv): Promise<GitSettings> {
  const child = spawnGit(cwd, ["config", "--list", "--show-scope", "-z"], env);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.resume();
  child.stdin.on("error", () => {});
  child.stdin.end();
  // If git cannot start or a settings file is broken or a pipe, the next call reports it.
  const timer = setTimeout(() => child.kill("SIGKILL"), SETTINGS_LIMIT_MS);
  const stopHurry = hurryOnInterrupt(() => child.kill("SIGKILL"));
  await once(child, "close").catch(() => []);
  clearTimeout(timer);
  stopHurry();
  const own = new Map<string, string>();
  const named = new Set<string>();
  const fields = Buffer.concat(chunks).toString().split("\0");
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [scope = "", entry = ""] = fields.slice(index, index + 2);
    const [key = "", ...value] = entry.split("\n");
    if (PERSONAL_SCOPES.has(scope)) own.set(key, value.join("\n"));
    else named.add(key);
  }
  return { own, otherNames: named };
}

/** Returns variables with which git takes programs only from the settings of the user and the system. */
function disablePrograms({ own, otherNames }: GitSettings, env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  let added: Readonly<Record<string, string>> = {};
  for (const [key, value] of buildSettingReplacements(otherNames, own)) {
    added = { ...added, ...addGitSetting(key, value, { ...env, ...added }) };
  }
  return added;
}

/** Returns the user's values (`own`, by name) for settings that the repository names. */
function buildSettingReplacements(
  named: ReadonlySet<string>,
  own: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const key of named) {
    const [, program = "", word = ""] = PROGRAM_SETTING_PATTERN.exec(key) ?? [];
    // git ignores `clean` and `smudge` if `process` is set, even if it is empty.
    const usable = !named.has(`${program}.process`) || own.has(`${program}.process`);
    for (const each of listWordsToReplace(program, word)) {
      const mine = usable ? own.get(`${program}.${each}`) : undefined;
      found.set(`${program}.${each}`, mine ?? DISABLED_VALUES[each] ?? "");
    }
  }
  return found;
}

function listWordsToReplace(program: string, word: string): readonly string[] {
  if (program === "") return [];
  if (program.startsWith("filter.")) return [word, "required"];
  // A hook has no program name that could be emptied, so it is disabled.
  return [program.startsWith("hook.") ? "enabled" : word];
}
