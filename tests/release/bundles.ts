import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OUT } from "../../release/release.ts";
import { run } from "../../release/shell.ts";
import type { Check } from "./check.ts";
import { emptyFolder, specJobs } from "./main_jobs.ts";

/** The tool of the bundles' authors, which npm fetches. */
const MCPB = ["--yes", "@anthropic-ai/mcpb@2.1.2"];

/** The bundle for Linux x64: judged and unpacked by its format's own tool, then started as its manifest says. */
export function bundle(version: string): Check {
  const file = `planner-${version}-linux-x64.mcpb`;
  return {
    artefact: file,
    place: "unpacked by npm's `@anthropic-ai/mcpb`, started by its manifest",
    jobs: "validated; init, add, list, lint, mcp",
    needs: ["npx"],
    files: [file],
    check: async () => {
      const [folder, project] = [join(emptyFolder(), "bundle"), emptyFolder()];
      run("npx", [...MCPB, "unpack", join(OUT, file), folder]);
      run("npx", [...MCPB, "validate", join(folder, "manifest.json")]);
      const { server } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
      const fill = (word: string) =>
        word.replace("$" + "{__dirname}", folder).replace("$" + "{user_config.project}", project);
      const program = fill(server.mcp_config.command);
      const jobs = await specJobs({ command: [program], folder: project }, server.mcp_config.args.map(fill));
      return `validate; ${jobs}`;
    },
  };
}
