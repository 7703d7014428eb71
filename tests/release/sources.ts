import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../release/release.ts";
import { run } from "../../release/shell.ts";
import { type Check, unpacked } from "./check.ts";
import { emptyFolder } from "./main_jobs.ts";

/** Every chunk of code in the executable has its source map in the archive beside it. */
export function sourceMaps(version: string): Check {
  const maps = `planner-${version}-source-maps.tar.xz`;
  const program = `planner-${version}-linux-x64.tar.xz`;
  return {
    artefact: maps,
    place: "beside the executable",
    jobs: "each chunk of its code has a map",
    needs: ["tar", "xz"],
    files: [maps, program],
    check: async () => {
      const known = new Set(readdirSync(unpacked(maps)));
      const code = readFileSync(join(unpacked(program), "planner"), "latin1");
      const chunks = new Set([...code.matchAll(/chunk-[a-z0-9]+\.js/g)].map(([name]) => name));
      const without = [...chunks].filter((name) => !known.has(`${name}.map`));
      if (chunks.size < 100) throw new Error(`only ${chunks.size} chunks were found in the executable`);
      if (without.length > 0) throw new Error(`no source map for ${without.join(", ")}`);
      return `${chunks.size} chunks have their map`;
    },
  };
}

/** The compose files keep to the schema that docker-compose holds. */
export const composeFiles: Check = {
  artefact: "compose files",
  place: "docker-compose config",
  jobs: "both files, and one with a wrong key (refused)",
  needs: ["docker-compose"],
  files: [],
  check: async () => {
    const names = ["compose.postgres.yaml", "compose.cockroach.yaml"];
    const files = names.map((name) => join(ROOT, "docs/deploy", name));
    const accept = (file: string) =>
      run("docker-compose", ["-f", file, "config", "-q"], { env: { POSTGRES_PASSWORD: "secret" } });
    for (const file of files) accept(file);
    const wrong = join(emptyFolder(), "compose.yaml");
    writeFileSync(wrong, readFileSync(files[0] ?? "", "utf8").replace("ports:", "portz:"));
    if (doesNotThrow(() => accept(wrong))) throw new Error("docker-compose accepted a key that does not exist");
    return `${names.join(", ")}; a wrong key is refused`;
  },
};

function doesNotThrow(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
