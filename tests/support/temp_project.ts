import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { planWorktreePath } from "#planner/store/worktrees/worktree_files.ts";
import "./trusted_project.ts";

/** A project folder of its own for one test, with `.planner/specs/`; call `remove` at the end. */
export interface TempProject {
  readonly root: string;
  /** Writes a file by its path from the root; makes the folders. */
  write(path: string, content: string | Uint8Array): void;
  read(path: string): string;
  /** Names in a folder, hidden ones included, sorted. */
  list(path: string): string[];
  /** Path of a spec's worktree in the default folder, from the root; it need not exist. */
  tree(id: string): string;
  /** Sets when a file was last changed. */
  touch(path: string, modified: Date): void;
  /** Writes `.planner/specs/<id>.md`. */
  spec(id: string, text: string): void;
  remove(): void;
  [Symbol.dispose](): void;
}

export function tempProject(): TempProject {
  const root = mkdtempSync(join(tmpdir(), "planner-test-"));
  mkdirSync(join(root, ".planner", "specs"), { recursive: true });
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  return {
    root,
    write,
    read: (path) => readFileSync(join(root, path), "utf8"),
    list: (path) => (existsSync(join(root, path)) ? readdirSync(join(root, path)).sort() : []),
    tree: (id) => relative(root, planWorktreePath(root, id, null)),
    touch: (path, modified) => utimesSync(join(root, path), modified, modified),
    spec: (id, text) => write(`.planner/specs/${id}.md`, text),
    remove,
    [Symbol.dispose]: remove,
  };
}
