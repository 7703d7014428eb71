import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { RunFiles } from "../../program_ports.ts";
import { diskRefusal, isMissing } from "../files/disk_error.ts";
import { replaceFile } from "../files/place_file.ts";
import { Git } from "../git/git.ts";
import { openGitHistory } from "../git/git_history.ts";

/** The files that a run reads and writes beside the project's own. */
export function openRunFiles(): RunFiles {
  return {
    async read(path) {
      try {
        return await readFile(path, "utf8");
      } catch (error) {
        if (isMissing(error)) return null;
        throw diskRefusal(`read "${path}"`, error);
      }
    },
    write: (path, text) => replaceFile(path, path, text),
    async gitFolders(folder) {
      const found = await new Git(folder).ask(["rev-parse", "--git-common-dir", "--git-dir"]);
      return found === null ? [] : [...new Set(found.split(/\r?\n/).map((path) => resolve(folder, path)))];
    },
    history: openGitHistory,
  };
}
