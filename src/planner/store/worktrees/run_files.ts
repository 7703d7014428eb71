import { createHash } from "node:crypto";
import { lstat, mkdir, readdir } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { convertToDiskError, isMissingError } from "../files/disk_error.ts";
import { replaceFile } from "../files/place_file.ts";
import { readRegularFile } from "../files/read_text.ts";
import { Git } from "../git/git.ts";
import { openGitHistory } from "../git/git_history.ts";

export interface Hasher {
  update(bytes: Uint8Array): void;
  /** Returns the digest in lower-case hexadecimal digits. Call it once. */
  digest(): string;
}

export type RunFiles = ReturnType<typeof openRunFiles>;

/** Opens files, git folders and ports that a run uses outside of the project's stores. Paths are absolute. */
export function openRunFiles() {
  return {
    /** Reads a file; returns null if the file does not exist. */
    async readText(path: string): Promise<string | null> {
      try {
        return readRegularFile(path).toString();
      } catch (error) {
        if (isMissingError(error)) return null;
        throw convertToDiskError(`read "${path}"`, error);
      }
    },
    /** Writes a file completely or not at all; creates its folder. */
    writeText: (path: string, text: string) => replaceFile(path, path, text),
    /**
     * Returns the folders to which a commit in `folder` writes. For a worktree these are the repository's objects, the
     * branches beside its own, and the worktree's administration, but not the settings, the hooks or the main branch. For
     * the checkout itself it is all of `.git`. Empty without a repository.
     */
    async prepareCommitFolders(folder: string): Promise<readonly string[]> {
      const asked = ["rev-parse", "--git-common-dir", "--git-dir", "--symbolic-full-name", "HEAD"];
      const [shared, own, branch = ""] = (await new Git(folder).tryReadOutput(asked))?.split(/\r?\n/) ?? [];
      if (shared === undefined || own === undefined) return [];
      const folders = listCommitFolders(resolve(folder, shared), resolve(folder, own), dirname(branch));
      // A sandbox ignores a folder that does not exist.
      for (const path of folders) await mkdir(path, { recursive: true });
      return folders;
    },
    /** The number of a TCP port on 127.0.0.1 without a listener at this moment. */
    findFreePort,
    /** Latest change of a file below `folder`, in milliseconds since 1970. Reads at most 20,000 entries. */
    findLastChangeTime,
    /** Creates a SHA-256 hasher. */
    createHasher(): Hasher {
      const hash = createHash("sha256");
      return { update: (bytes: Uint8Array) => void hash.update(bytes), digest: () => hash.digest("hex") };
    },
    /** Opens the git history of the commit that is checked out in `folder`. */
    openHistory: openGitHistory,
  };
}

/** Returns the folders to which a commit writes. @param branchFolder such as `refs/heads/planner` */
function listCommitFolders(shared: string, own: string, branchFolder: string): readonly string[] {
  // The main checkout has one git folder for index, objects, settings and hooks.
  if (shared === own) return [own];
  const branches = branchFolder.startsWith("refs/heads") ? [branchFolder, `logs/${branchFolder}`] : [];
  return [...["objects", ...branches].map((path) => join(shared, path)), own];
}

/** Maximum number of entries to walk. Chosen by planner: a large source tree without packages and build output. */
const MAX_WALKED_ENTRIES = 20_000;

async function findLastChangeTime(folder: string): Promise<number> {
  let last = 0;
  const folders = [folder];
  for (let seen = 0; folders.length > 0 && seen < MAX_WALKED_ENTRIES; ) {
    const current = folders.shift() ?? "";
    const entries = await readdir(current, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      seen++;
      const path = join(current, entry.name);
      if (entry.isDirectory()) folders.push(path);
      const facts = await lstat(path).catch(() => null);
      last = Math.max(last, facts?.mtimeMs ?? 0);
    }
  }
  return last;
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
