#!/usr/bin/env node
// Starts the executable of this platform, which npm installed as an optional dependency.

const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");

const OS = { linux: "linux", darwin: "darwin", win32: "windows" };

function isMusl() {
  if (process.platform !== "linux") return false;
  const { header } = process.report.getReport();
  return header.glibcVersionRuntime === undefined;
}

function program() {
  const name = `${OS[process.platform] ?? process.platform}-${process.arch}${isMusl() ? "-musl" : ""}`;
  const file = process.platform === "win32" ? "planner.exe" : "planner";
  try {
    return require.resolve(`@planner-toolkit/${name}/bin/${file}`);
  } catch {
    process.stderr.write(
      `planner: the package @planner-toolkit/${name} is not installed. ` +
        "Either this platform has no executable, or npm was told to leave out optional dependencies; " +
        "install again without --omit=optional and --no-optional.\n",
    );
    process.exit(1);
  }
}

const path = program();
if (!existsSync(path)) {
  process.stderr.write(`planner: ${path} is missing; install the package again.\n`);
  process.exit(1);
}
const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
// The program shares the terminal's process group, so Ctrl-C reaches it without help; the others are passed on.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  process.stderr.write(`planner: ${path} cannot be started: ${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
