import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";

export interface GitCall {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the repository's hooks run: those of a person's commits, rebases and merges do, no others. */
  readonly hooks?: boolean;
  /**
   * Whether the call is part of work that a person started and that changes the repository. Only then may the
   * repository's own settings name filters, merge drivers and remotes to fetch from.
   */
  readonly writes?: boolean;
  /** Whether the call talks to a remote: it gets a separate process group, and asks no question. */
  readonly remote?: boolean;
  /** `inherited` if a hook's environment names the repository and the index; by default git searches from `cwd`. */
  readonly places?: "inherited";
}

/** Commands that change the repository or a working tree. All others only read. */
const WRITING: ReadonlySet<string> = new Set(
  "add branch checkout commit commit-tree fast-import hook merge rebase reset restore rm submodule worktree".split(" "),
);

/** Commands that run none of the programs in `PROGRAMS`; before any other command the settings are read. */
const PLAIN: ReadonlySet<string> = new Set(
  "cat-file cherry check-ref-format config for-each-ref grep log ls-files ls-tree merge-base merge-file patch-id rev-list rev-parse symbolic-ref update-ref var".split(
    " ",
  ),
);

/** Flags by which a command runs no program for differences and signatures. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  diff: ["--no-ext-diff", "--no-textconv"],
  "diff-tree": ["--no-ext-diff", "--no-textconv"],
  grep: ["--no-textconv", "--no-recurse-submodules"],
  log: ["--no-ext-diff", "--no-textconv", "--no-show-signature"],
};

/** The settings of a submodule can name programs too, which git would run to find changes in it. */
const READING_FLAGS: Readonly<Record<string, readonly string[]>> = {
  diff: ["--ignore-submodules=dirty"],
  status: ["--ignore-submodules=dirty"],
};

const SETTINGS = ["-c", "core.fsmonitor=false", "-c", "advice.graftFileDeprecated=false"];
const WITHOUT_HOOKS = ["-c", "core.hooksPath=/dev/null"];

/** Variables by which a hook of some repository would lead git to that one, wherever it is started. */
const PLACES: ReadonlySet<string> = new Set([
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

const QUIET = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "true",
  SSH_ASKPASS: "true",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  // Read-only commands do not fail because another command has locked the index.
  GIT_OPTIONAL_LOCKS: "0",
  GIT_LITERAL_PATHSPECS: "1",
  // The object itself, not its replacement (git replace).
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null",
};

/** No helper for credentials opens a window, and ssh asks no question. */
const SILENT = { GCM_INTERACTIVE: "never", SSH_ASKPASS_REQUIRE: "never" };

/** Reading fetches nothing: older gits know the first variable only, which allows no way to a remote. */
const OFFLINE = { GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1" };

/** The value by which git does without a program, by the last word of the setting's name. */
const WITHOUT: Readonly<Record<string, string>> = {
  clean: "",
  smudge: "",
  process: "",
  required: "false",
  driver: "git merge-file -q --marker-size=%L %A %O %B",
  enabled: "false",
};

/** A filter, merge driver or hook by settings: its name and what is set of it. */
const PROGRAM = /^((?:filter|merge|hook)\..+)\.(clean|smudge|process|required|driver|command|event|enabled)$/s;

/** Scopes of settings that no repository can set. */
const OF_THE_PERSON: ReadonlySet<string> = new Set(["system", "global", "command"]);

/** A call of git that is ready to start, which takes no wait: errors of the start reach listeners added at once. */
export interface ReadyGit {
  start(): ChildProcessWithoutNullStreams;
}

/** The only place that starts git. Reading runs no program that the repository names, and fetches nothing. */
export async function prepareGit(call: GitCall): Promise<ReadyGit> {
  const { cwd, args, hooks = false } = call;
  const command = commandOf(args);
  const writes = call.writes === true || hooks || WRITING.has(command);
  const inherited = call.places === "inherited" ? process.env : withoutGitPlaces(process.env);
  const { GIT_EXTERNAL_DIFF: _ignored, ...given } = { ...inherited, ...QUIET, ...call.env } as NodeJS.ProcessEnv;
  const env = { ...given, ...(writes ? {} : OFFLINE), ...(call.remote ? SILENT : {}) };
  const without = writes || PLAIN.has(command) ? {} : withoutPrograms(await readSettings(cwd, env), env);
  const words = [...(hooks ? [] : WITHOUT_HOOKS), ...withFlags(args, writes)];
  return { start: () => spawnGit(cwd, words, { ...env, ...without }, call.remote) };
}

export function withoutGitPlaces(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !PLACES.has(name)));
}

/** Environment with one more setting of git's. */
export function withSetting(key: string, value: string, env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const count = Number(env["GIT_CONFIG_COUNT"] ?? 0);
  const next = Number.isSafeInteger(count) && count > 0 ? count : 0;
  return {
    GIT_CONFIG_COUNT: String(next + 1),
    [`GIT_CONFIG_KEY_${next}`]: key,
    [`GIT_CONFIG_VALUE_${next}`]: value,
  };
}

function spawnGit(
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  ownGroup = false,
): ChildProcessWithoutNullStreams {
  const words = ["--no-pager", ...SETTINGS, ...args];
  const detached = ownGroup && process.platform !== "win32";
  const child = spawn("git", words, { cwd, env, stdio: ["pipe", "pipe", "pipe"], windowsHide: true, detached });
  // Out of descriptors there is no pipe; the cause comes with the event "error".
  for (const name of ["stdin", "stdout", "stderr"] as const) {
    if ((child[name] as unknown) == null) Object.defineProperty(child, name, { value: new PassThrough() });
  }
  return child;
}

/**
 * Starts a git that only reads, on the terminal of this process and with its output in the person's pager. Settings of the
 * repository name no pager.
 */
export async function startPaged({ cwd, args }: Pick<GitCall, "cwd" | "args">): Promise<ChildProcess> {
  const { LC_ALL: _ours, ...quiet } = QUIET;
  const given = { ...withoutGitPlaces(process.env), ...quiet, ...OFFLINE } as NodeJS.ProcessEnv;
  const { GIT_EXTERNAL_DIFF: _ignored, ...env } = given;
  const settings = await readSettings(cwd, env);
  const pager = env["GIT_PAGER"] ?? settings.own.get("core.pager") ?? env["PAGER"] ?? "less";
  const words = ["--paginate", ...SETTINGS, ...WITHOUT_HOOKS, ...withFlags(args, false)];
  const whole = { ...env, ...withoutPrograms(settings, env), GIT_PAGER: pager };
  return spawn("git", words, { cwd, env: whole, stdio: "inherit" });
}

/** Index of the command's name, behind settings given with `-c`. */
function commandPlace(args: readonly string[]): number {
  let at = 0;
  while (args[at] === "-c") at += 2;
  return at;
}

function commandOf(args: readonly string[]): string {
  return args[commandPlace(args)] ?? "";
}

function withFlags(args: readonly string[], writes: boolean): readonly string[] {
  const at = commandPlace(args) + 1;
  const command = args[at - 1] ?? "";
  return [
    ...args.slice(0, at),
    ...(FLAGS[command] ?? []),
    ...(writes ? [] : (READING_FLAGS[command] ?? [])),
    ...args.slice(at),
  ];
}

/** Settings of the person and the system by their names, and the names of all others. */
interface Settings {
  readonly own: ReadonlyMap<string, string>;
  readonly named: ReadonlySet<string>;
}

/** Cost: one git. */
async function readSettings(cwd: string, env: NodeJS.ProcessEnv): Promise<Settings> {
  const child = spawnGit(cwd, ["config", "--list", "--show-scope", "-z"], env);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.resume();
  child.stdin.on("error", () => {});
  child.stdin.end();
  // A git that does not start, or finds a broken file, says so itself in the call that follows.
  await once(child, "close").catch(() => []);
  const own = new Map<string, string>();
  const named = new Set<string>();
  const fields = Buffer.concat(chunks).toString().split("\0");
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [scope = "", entry = ""] = fields.slice(index, index + 2);
    const [key = "", ...value] = entry.split("\n");
    if (OF_THE_PERSON.has(scope)) own.set(key, value.join("\n"));
    else named.add(key);
  }
  return { own, named };
}

/** Returns the environment in which git takes programs from the settings of the person and the system only. */
function withoutPrograms({ own, named }: Settings, env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  let added: Readonly<Record<string, string>> = {};
  for (const [key, value] of replacements(named, own)) {
    added = { ...added, ...withSetting(key, value, { ...env, ...added }) };
  }
  return added;
}

/** Returns the person's own values of what the repository names. @param own settings of the person, by their names */
function replacements(named: ReadonlySet<string>, own: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const key of named) {
    const [, program = "", word = ""] = PROGRAM.exec(key) ?? [];
    // git passes over `clean` and `smudge` where there is a `process`, an empty one too.
    const usable = !named.has(`${program}.process`) || own.has(`${program}.process`);
    for (const each of wordsToReplace(program, word)) {
      const mine = usable ? own.get(`${program}.${each}`) : undefined;
      found.set(`${program}.${each}`, mine ?? WITHOUT[each] ?? "");
    }
  }
  return found;
}

function wordsToReplace(program: string, word: string): readonly string[] {
  if (program === "") return [];
  if (program.startsWith("filter.")) return [word, "required"];
  // A hook has no name that could be emptied: it is switched off.
  return [program.startsWith("hook.") ? "enabled" : word];
}
