import { createHash } from "node:crypto";
import { lstat, mkdir, readdir } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import type { RunFiles } from "../../program_ports.ts";
import { convertToDiskError, isMissingError } from "../files/disk_error.ts";
import { replaceFile } from "../files/place_file.ts";
import { readRegularFile } from "../files/read_text.ts";
import { Git } from "../git/git.ts";
import { openGitHistory } from "../git/git_history.ts";

/** Opens files, git folders and ports that a run uses outside of the project's stores. */
export function openRunFiles(): RunFiles {
  return {
    async readText(path) {
      try {
        return readRegularFile(path).toString();
      } catch (error) {
        if (isMissingError(error)) return null;
        throw convertToDiskError(`read "${path}"`, error);
      }
    },
    writeText: (path, text) => replaceFile(path, path, text),
    async prepareCommitFolders(folder) {
      const asked = ["rev-parse", "--git-common-dir", "--git-dir", "--symbolic-full-name", "HEAD"];
      const [shared, own, branch = ""] = (await new Git(folder).tryReadOutput(asked))?.split(/\r?\n/) ?? [];
      if (shared === undefined || own === undefined) return [];
      const folders = listCommitFolders(resolve(folder, shared), resolve(folder, own), dirname(branch));
      // A sandbox ignores a folder that does not exist.
      for (const path of folders) await mkdir(path, { recursive: true });
      return folders;
    },
    findFreePort: findFreePort,
    findLastChangeTime: findLastChangeTime,
    createHasher() {
      const hash = createHash("sha256");
      return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest("hex") };
    },
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
