import { existsSync } from "node:fs";
import { copyFile, lstat, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Furniture } from "#planner/run_ports/worktree.ts";
import { Git, gitsWords } from "../git/git.ts";
import { linkPaths, MADE_ANEW } from "./link_paths.ts";
import type { Place } from "./worktree_place.ts";

/** Most files that patterns may name. Ours: settings are few; more is a folder that was named by mistake. */
const MAX_FILES = 1000;

/**
 * Brings what a build needs and a checkout lacks: submodules, then ignored files by patterns, then whole paths.
 *
 * @returns what was done and what could not be done, a sentence each
 */
export async function furnish(place: Place, { copy, link, symlink }: Furniture): Promise<readonly string[]> {
  const linking = { from: place.root, to: place.worktree.root, git: new Git(place.worktree.root) };
  return [
    ...(await addSubmodules(place)),
    ...(await copyIgnored(place, copy)),
    ...(await linkPaths(linking, link, "copy")),
    ...(await linkPaths(linking, symlink, "symlink")),
  ];
}

/** From the copies that the repository has of them, so that no network is needed for what is there. */
async function addSubmodules({ repository, worktree }: Place): Promise<readonly string[]> {
  if (!existsSync(join(worktree.path, ".gitmodules"))) return [];
  const git = new Git(worktree.path);
  const names = await submoduleNames(git);
  const sources = names.flatMap((name) => {
    const own = join(repository.commonFolder, "modules", name);
    return existsSync(own) ? ["-c", `submodule.${name}.url=${own}`] : [];
  });
  const update = ["submodule", "--quiet", "update", "--init", "--recursive"];
  const { status, stderr } = await git.try(["-c", "protocol.file.allow=always", ...sources, ...update]);
  if (status === 0) return names.length === 0 ? [] : [`submodules are there: ${names.join(", ")}`];
  return [`submodules could not be brought: ${gitsWords(stderr)}`];
}

async function submoduleNames(git: Git): Promise<readonly string[]> {
  const { status, stdout } = await git.try([
    ...["config", "--file", ".gitmodules", "--null", "--name-only", "--get-regexp", "^submodule\\..*\\.path$"],
  ]);
  if (status !== 0) return [];
  const keys = stdout.toString().split("\0").filter(Boolean);
  return keys.map((key) => key.slice("submodule.".length, -".path".length));
}

async function copyIgnored(place: Place, configured: readonly string[]): Promise<readonly string[]> {
  const { root, worktree } = place;
  const patterns = [...configured, ...(await includeFile(root))];
  if (patterns.length === 0) return [];
  const asked = ["ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--"];
  const { status, stdout } = await new Git(root).try([...asked, ...patterns.map(pathspec)], {
    env: { GIT_LITERAL_PATHSPECS: "0" },
  });
  const paths = status === 0 ? stdout.toString().split("\0") : [];
  const wanted = paths.filter((path) => path !== "" && !MADE_ANEW.test(path));
  const copied: string[] = [];
  for (const path of wanted.slice(0, MAX_FILES)) if (await copyOne(root, worktree.root, path)) copied.push(path);
  const said =
    copied.length === 0 ? [] : [`copied: ${copied.slice(0, 10).join(", ")}${copied.length > 10 ? ", …" : ""}`];
  if (wanted.length > MAX_FILES)
    said.push(`${wanted.length - MAX_FILES} more files fit the patterns and were not copied`);
  return said;
}

/** A file that is there, an agent's own for example, stays. */
async function copyOne(from: string, to: string, path: string): Promise<boolean> {
  const source = join(from, path);
  const target = join(to, path);
  const facts = await lstat(source).catch(() => null);
  if (facts?.isFile() !== true || existsSync(target)) return false;
  await mkdir(dirname(target), { recursive: true });
  await copyFile(source, target);
  return true;
}

/** Other tools for worktrees read this file too: one pattern on each line, `#` begins a comment. */
async function includeFile(root: string): Promise<readonly string[]> {
  const text = await readFile(join(root, ".worktreeinclude"), "utf8").catch(() => "");
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith("!"));
}

function pathspec(pattern: string): string {
  const plain = pattern.replace(/^\/+/, "").replace(/\/+$/, "/**");
  return pattern.replace(/\/+$/, "").includes("/") ? `:(glob)${plain}` : `:(glob)**/${plain}`;
}
