import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../release/shell.ts";
import { runCommand } from "../support/planner_command.ts";
import { type Check, unpacked } from "./check.ts";
import { demand, emptyFolder } from "./main_jobs.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const GIT = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
const SPEC = (id: string, more = "") => `---\nid: ${id}\nstatus: pending\n${more}---\n\n# ${id}\n`;

/** The pre-commit framework with the hooks of this repository at a tag. */
export function hooks(version: string): Check {
  const file = `planner-${version}-linux-x64.tar.xz`;
  return {
    artefact: ".pre-commit-hooks.yaml",
    place: "a project with the pre-commit framework",
    jobs: "this repository at a tag; a sound commit, a broken dependency (stopped), `run --all-files`, the correction",
    needs: ["git", "pre-commit", "xz"],
    files: [file],
    check: async () => {
      const home = emptyFolder();
      const bin = join(home, "bin");
      mkdirSync(bin);
      symlinkSync(join(unpacked(file), "planner"), join(bin, "planner"));
      const env = { HOME: home, PATH: `${bin}:${process.env["PATH"]}` };
      // A tag of the last commit, in a copy: releases are tagged by people.
      const source = join(home, "source");
      run("git", ["clone", "--quiet", ROOT, source]);
      run("git", ["-C", source, ...GIT, "tag", `v${version}`]);
      const cwd = join(home, "project");
      run("git", ["init", "--quiet", "--initial-branch=main", cwd]);
      const inProject = (...command: readonly string[]) => runCommand(command, { cwd, env });
      const commit = async (message: string) => {
        await inProject("git", "add", "--all");
        return await inProject("git", ...GIT, "commit", "--quiet", "-m", message);
      };
      await inProject("planner", "init");
      const config = `repos:\n  - repo: file://${source}\n    rev: v${version}\n    hooks:\n      - id: planner-lint\n`;
      writeFileSync(join(cwd, ".pre-commit-config.yaml"), config);
      writeFileSync(join(cwd, ".planner", "specs", "base.md"), SPEC("base"));
      const installed = await inProject("pre-commit", "install");
      demand(installed.code === 0, `pre-commit install: ${installed.stderr}${installed.stdout}`);

      const first = await commit("begin");
      demand(first.code === 0, `a commit of sound specs was stopped: ${first.stderr}${first.stdout}`);
      writeFileSync(join(cwd, ".planner", "specs", "user.md"), SPEC("user", "depends_on: [missing]\n"));
      const broken = await commit("break a dependency");
      demand(
        broken.code !== 0 && `${broken.stdout}${broken.stderr}`.includes("missing"),
        "a broken dependency went in",
      );
      const all = await inProject("pre-commit", "run", "--all-files");
      demand(all.code !== 0 && all.stdout.includes("missing"), `run --all-files: ${all.stdout}`);
      writeFileSync(join(cwd, ".planner", "specs", "user.md"), SPEC("user", "depends_on: [base]\n"));
      const mended = await commit("depend on the base");
      demand(mended.code === 0, `a corrected commit was stopped: ${mended.stderr}${mended.stdout}`);
      return "install; a sound commit, one with a broken dependency (stopped), run --all-files, the corrected one";
    },
  };
}
