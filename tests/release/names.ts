import { spawnSync } from "node:child_process";
import { PACKAGE } from "../../release/release.ts";
import type { Check } from "./check.ts";

/** Asks npm and Debian for packages of our names: one of somebody else would be installed instead of ours. */
export function names(): Check {
  return {
    artefact: "package names",
    place: "the registries of npm and Debian",
    jobs: "neither has another package of our name",
    needs: ["npm", "apt-cache"],
    files: [],
    check: () => {
      for (const name of [PACKAGE, `@${PACKAGE}/linux-x64`]) {
        const { status, stderr, stdout } = spawnSync("npm", ["view", name, "repository.url"], { encoding: "utf8" });
        const isFree = status !== 0 && stderr.includes("E404");
        const ours = process.env["PLANNER_RELEASE_REPOSITORY"];
        const isOurs = status === 0 && ours !== undefined && stdout.includes(ours);
        if (!isFree && !isOurs) throw new Error(`npm has ${name}: ${stdout.trim() || stderr.trim()}`);
      }
      const { stdout } = spawnSync("apt-cache", ["policy", PACKAGE], { encoding: "utf8" });
      if (stdout.includes("Candidate:") && !stdout.includes("Candidate: (none)"))
        throw new Error(`Debian has ${stdout}`);
      return Promise.resolve("free, or ours");
    },
  };
}
