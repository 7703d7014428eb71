import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What the model does with one tool of the agent, in words that every agent's own tools can be found for. */
export type Call =
  /** One of planner's tools, by its name without `planner_`. */
  | { readonly kind: "planner"; readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: "shell"; readonly line: string }
  | { readonly kind: "write"; readonly path: string; readonly text: string }
  | { readonly kind: "replace"; readonly path: string; readonly from: string; readonly to: string }
  | { readonly kind: "read"; readonly path: string };

export interface Step {
  readonly say?: string;
  readonly calls?: readonly Call[];
  /** Answers with an error of the service instead. */
  readonly error?: { readonly status: number; readonly message: string };
  /** Does not answer the first run that comes here: the agent hangs until somebody ends it. Later runs pass. */
  readonly hold?: boolean;
}

/** What the model knows about the run that asks. */
export interface Scene {
  /** The spec that is worked. */
  readonly id: string;
  /** The worktree. */
  readonly dir: string;
  /** What the tools answered so far, the last one last. */
  readonly results: readonly string[];
}

/** The answers of one run, one after the other; the last one repeats. */
export type Script = readonly ((scene: Scene) => Step)[];

const specFile = ({ id, dir }: Scene): string => `${dir}/.planner/specs/${id}.md`;

export const planner = (tool: string, args: Readonly<Record<string, unknown>> = {}): Call => ({
  kind: "planner",
  tool,
  args,
});
export const shell = (line: string): Call => ({ kind: "shell", line });

const write = ({ id, dir }: Scene): Step => ({
  say: "I write the file.",
  calls: [{ kind: "write", path: `${dir}/src/${id}.txt`, text: `the work of ${id}\n` }],
});
const read = (scene: Scene): Step => ({ calls: [{ kind: "read", path: specFile(scene) }] });
const tick = (scene: Scene): Step => ({
  calls: [{ kind: "replace", path: specFile(scene), from: "- [ ] ", to: "- [x] " }],
});
const commit = ({ id }: Scene): readonly Step[] => [
  { calls: [shell("git add -A")] },
  { calls: [shell(`git commit -m "planner(${id}): write the file"`)] },
];

/** The project's root, by the line that git wrote into the worktree. */
function readRoot({ dir }: Scene): string {
  const [, root] = /^gitdir: (.+)\/\.git\/worktrees\//.exec(readFileSync(join(dir, ".git"), "utf8")) ?? [];
  if (root === undefined) throw new Error(`${dir} is not a worktree`);
  return root;
}

/** Calls that change what no run may change: what is git's, the project's, or beside the worktree. */
const REACHES: readonly ((root: string, dir: string) => Call)[] = [
  (root) => shell(`git -C ${root} config planted.key value`),
  (root) => shell(`echo exit 0 > ${root}/.git/hooks/pre-commit`),
  () => shell("git update-ref refs/heads/main refs/heads/main~1"),
  (root) => shell(`echo planted > ${root}/planted.txt`),
  (root) => shell(`echo planted >> ${root}/.planner/config.md`),
  (_, dir) => shell(`echo planted > ${dirname(dir)}/planted.txt`),
  (_, dir) => shell(`echo planted > ${dirname(dirname(dir))}/planted.txt`),
  (root) => ({ kind: "write", path: `${root}/written.txt`, text: "planted\n" }),
  (_, dir) => ({ kind: "write", path: `${dirname(dir)}/written.txt`, text: "planted\n" }),
  (_, dir) => ({ kind: "write", path: `${dirname(dirname(dir))}/written.txt`, text: "planted\n" }),
];

/** Scripts by the name that a spec's line `Script: <name>` gives. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  /** Works as the prompt says, with edits, planner's tools and git alone. */
  clean: [
    ({ id }) => ({ say: "I read the spec.", calls: [planner("spec_get", { id })] }),
    write,
    read,
    tick,
    ({ id }) => ({ calls: [planner("lint", { id })] }),
    (scene) => commit(scene)[0] ?? {},
    (scene) => commit(scene)[1] ?? {},
    () => ({ say: "The file is written, the criterion is checked, the work is committed." }),
  ],
  /** Asks for something that nobody has allowed, then goes on without it. */
  denied: [
    () => ({ say: "I look at another address.", calls: [shell("curl --silent http://127.0.0.1:9/")] }),
    write,
    read,
    tick,
    (scene) => commit(scene)[0] ?? {},
    (scene) => commit(scene)[1] ?? {},
    ({ results }) => ({ say: `Done, although this was refused: ${(results[0] ?? "").slice(0, 200)}` }),
  ],
  /** Runs the project's own check, a line of `verify.commands`. */
  verifying: [
    write,
    read,
    tick,
    () => ({ calls: [shell("sh check.sh")] }),
    (scene) => commit(scene)[0] ?? {},
    (scene) => commit(scene)[1] ?? {},
    ({ results }) => ({ say: `The check printed: ${(results[3] ?? "").slice(0, 200)}` }),
  ],
  /** Reaches for what is git's, the person's and beside the worktree, each by itself, then works. */
  reaching: [
    ...REACHES.map(
      (reach) =>
        (scene: Scene): Step => ({ calls: [reach(readRoot(scene), scene.dir)] }),
    ),
    write,
    read,
    tick,
    (scene) => commit(scene)[0] ?? {},
    (scene) => commit(scene)[1] ?? {},
    () => ({ say: "Done." }),
  ],
  unauthorized: [() => ({ error: { status: 401, message: "invalid api key" } })],
  hanging: [
    write,
    () => ({ hold: true }),
    read,
    tick,
    (scene) => commit(scene)[0] ?? {},
    (scene) => commit(scene)[1] ?? {},
    () => ({ say: "Done in the second run." }),
  ],
  chat: [() => ({ say: "Hello." })],
  split: [
    () => ({
      say: `Here is the plan.\n\n\`\`\`json\n${JSON.stringify({
        members: ["one", "two"].map((part, index) => ({
          title: `Part ${part}`,
          description: `Do part ${part}.`,
          acceptance_criteria: [`Part ${part} is done`],
          target_files: [`src/${part}.txt`],
          depends_on: index === 0 ? [] : [1],
        })),
      })}\n\`\`\`\n`,
    }),
  ],
  /** Tries to change a file while it is asked for a plan only. */
  writing_split: [
    ({ dir }) => ({ calls: [{ kind: "write", path: `${dir}/split-was-here.txt`, text: "changed\n" }] }),
    () => ({ calls: [shell("touch split-was-here.txt")] }),
    (scene) => SCRIPTS["split"]?.[0]?.(scene) ?? {},
  ],
};
