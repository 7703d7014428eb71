import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Debian 13 has Patroni 4.0.7. Patroni before 4.0.6 loses acknowledged writes; docs/operations.md says why. */
const RELEASE = "trixie";
const KEPT = join(import.meta.dirname, `../../node_modules/.cache/patroni-${RELEASE}`);
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** Where a Patroni that is not installed has its program and its Python modules. */
export const PATRONI = {
  program: join(KEPT, "usr/bin/patroni"),
  modules: join(KEPT, "usr/lib/python3/dist-packages"),
};

/**
 * Fetches Patroni of a newer Debian without installing it. It is pure Python: the modules that it needs are those of
 * the installed package. Undefined when it is there, else why it cannot be had.
 */
export function fetchPatroni(): string | undefined {
  if (existsSync(PATRONI.program)) return undefined;
  const work = mkdtempSync(join(tmpdir(), "planner-patroni-"));
  try {
    return download(work) ?? unpack(work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The version of the fetched Patroni, in its own words. */
export function patroniVersion(): string {
  const env = { PATH: "/usr/bin:/bin", PYTHONPATH: PATRONI.modules };
  return spawnSync(PATRONI.program, ["--version"], { encoding: "utf8", env }).stdout.trim();
}

/** Downloads the package with lists of its own, from the mirror that this system uses. */
function download(work: string): string | undefined {
  const format = "$(REPO_URI)";
  const filter = ["Created-By: Packages", "Component: main", "Label: Debian"];
  const targets = spawnSync("apt-get", ["indextargets", "--format", format, ...filter], { encoding: "utf8" });
  const mirror = (targets.stdout ?? "").split("\n")[0];
  if (!mirror) return "apt-get knows no mirror of Debian";
  for (const folder of ["lists/partial", "cache/archives/partial"]) mkdirSync(join(work, folder), { recursive: true });
  const sources = join(work, "sources.list");
  writeFileSync(sources, `deb [signed-by=${KEYRING}] ${mirror} ${RELEASE} main\n`);
  const places = {
    "Dir::Etc::sourcelist": sources,
    "Dir::Etc::sourceparts": "-",
    "Dir::State::lists": join(work, "lists"),
    "Dir::Cache": join(work, "cache"),
  };
  const own = Object.entries(places).flatMap(([name, place]) => ["-o", `${name}=${place}`]);
  return run("apt-get", [...own, "update"], work) ?? run("apt-get", [...own, "download", `patroni/${RELEASE}`], work);
}

function unpack(work: string): string | undefined {
  const file = readdirSync(work).find((entry) => entry.endsWith(".deb"));
  if (file === undefined) return "apt-get downloaded nothing";
  mkdirSync(join(KEPT, ".."), { recursive: true });
  const staged = `${KEPT}.${process.pid}`;
  const problem = run("dpkg-deb", ["-x", file, staged], work);
  if (problem === undefined) renameSync(staged, KEPT);
  return problem;
}

/** Undefined when the command succeeded, else what went wrong. */
function run(command: string, words: readonly string[], cwd: string): string | undefined {
  const { status, error, stderr } = spawnSync(command, words, { cwd, encoding: "utf8", timeout: 300_000 });
  return status === 0 ? undefined : `${command} failed: ${error?.message ?? stderr.trim()}`;
}
