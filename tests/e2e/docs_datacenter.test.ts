/** Every shell block of the documents is typed by a test, or listed with the reason why it is not. */
import { expect, test } from "bun:test";
import { DcServer } from "../support/dc_server.ts";
import { commandBlocks } from "../support/doc_commands.ts";
import { documents } from "../support/documents.ts";
import { person, typeAll } from "../support/typing_person.ts";
import { typeBesideServer } from "../support/typing_servers.ts";

/** Files whose blocks docs_commands types, and docs/deno.md, whose commands deno_permissions runs. */
const TYPED_ELSEWHERE = ["README.md", "docs/deno.md", "docs/tutorials/datacenter.md", "docs/tutorials/specs.md"];

/** Blocks on a site in the working directory, in this order. */
const ON_A_FILE = [
  "docs/rehearsal.md#From the command line",
  "docs/capacity.md#What is left",
  "docs/windows.md#Maintenance windows",
  "docs/windows.md#Stored windows",
  "docs/windows.md#As during a window",
  "docs/windows.md#Run sheet and notices",
  "docs/windows.md#Calendar",
  "docs/import/exports.md#Exports for other programs",
  "docs/datacenter.md#Pictures",
  "docs/datacenter.md#The change log as evidence",
  "docs/placement.md#Writing an answer",
];

/** Blocks that ask a running server. */
const ON_A_SERVER = ["docs/datacenter.md#Questions about the inventory", "docs/datacenter.md#From the command line"];

/** Blocks that start a server and ask it, each in an empty folder, with what they print in the end. */
const BESIDE_A_SERVER = [
  ["README.md#The datacenter service", "ok"],
  ["docs/datacenter.md#The datacenter service", '"code":"LEAF-'],
  ["docs/readings.md#Readings", '"kept":1'],
] as const;

/** Parts of lines of these blocks that are not typed. */
const NEEDS_MORE: Readonly<Record<string, string>> = {
  "isp.ics": "the reader's calendar; dc_window does",
};

const NOT_TYPED: Readonly<Record<string, string>> = {
  "docs/datacenter.md#Authentication and roles":
    "hosts, certificates and keys of the reader; dc_access and dc_admission do",
  "docs/datacenter.md#The stream of changes": "never ends; dc_change_stream does",
  "docs/datacenter.md#MCP server": "an agent's program; dc_mcp_http runs the official clients",
  "docs/deploy/README.md#Deploying the datacenter service": "needs podman; test:release runs the image in a sandbox",
  "docs/import/containerlab.md#Import from containerlab": "the reader's file; dc_import_from does",
  "docs/import/csv.md#By HTTP": "the reader's file and token; import_route does",
  "docs/import/csv.md#Import from a spreadsheet": "the reader's files; dc_import_from does",
  "docs/import/device-types.md#Types of devices": "the public library; dc_import_from does with files of its form",
  "docs/import/netbox.md#Import from NetBox": "the reader's NetBox; dc_import_from does with a server of its form",
  "docs/import/tasks.md#GitHub issues": "an account of GitHub; import_tasks does with the files",
  "docs/import/tasks.md#Import tasks of other tools": "the reader's project; import_tasks does",
  "docs/install.md#install.sh": "a release; test:release does",
  "docs/install.md#By hand": "a release; test:release does",
  "docs/install.md#As a service": "needs systemd as the first process; test:release verifies the unit",
  "docs/mcp.md#Configure a client": "npx from the registry; mcp_clients runs the Inspector",
  "docs/operations.md#Backup": "needs the sqlite3 program; dc_upgrade and dc_audit verify copies",
  "docs/operations.md#Archiving the log": "entries of another year; dc_audit does",
  "docs/pr.md#Pull requests":
    "an account of a forge; pr_command and pr_sync do with programs in the place of gh and glab",
  "docs/readings.md#From Prometheus": "needs a Prometheus; dc_readings_prometheus does",
  "docs/notices.md#Dead letters and trials": "dead letters take a day; dc_notices and the tests of the sender do",
  ...Object.fromEntries(
    ["By reflection", "Go", "Java", "Python", "Rust", "Schemathesis", "TypeScript"].map((language) => [
      `docs/clients.md#${language}`,
      "needs the packages of other programs; `npm run test:clients` runs it",
    ]),
  ),
  "docs/release.md#Building a release": "takes half an hour; its page states what was run",
};

const keyOf = (file: string, heading: string) => `${file}#${heading}`;

/** Lines of a block, continued ones joined, without those that need more. */
function linesOf(key: string): readonly string[] {
  const [file = "", heading = ""] = key.split("#");
  const lines = commandBlocks(file).filter((block) => block.heading === heading);
  const joined = lines.flatMap((block) => block.lines.join("\n").replaceAll("\\\n", "").split("\n"));
  return joined.filter((line) => !Object.keys(NEEDS_MORE).some((part) => line.includes(part)));
}

test("every shell block of the documents is typed or has a reason", () => {
  const blocks = documents()
    .filter(({ path }) => !TYPED_ELSEWHERE.includes(path))
    .flatMap(({ path }) => commandBlocks(path).map(({ heading }) => keyOf(path, heading)));

  const beside = BESIDE_A_SERVER.map(([key]) => key).filter((key) => !key.startsWith("README.md"));
  const known = [...ON_A_FILE, ...ON_A_SERVER, ...beside, ...Object.keys(NOT_TYPED)];
  expect([...new Set(blocks)].toSorted()).toEqual(known.toSorted());
});

test("the documents' commands on a datacenter succeed as they are written", async () => {
  using ann = person();
  await typeAll(ann, ["planner dc sample --db planner-dc.sqlite", "mkdir folder"]);

  await typeAll(ann, ON_A_FILE.flatMap(linesOf));

  const server = await DcServer.start(ann.project, ["--db", "planner-dc.sqlite"]);
  try {
    const address = new URL(server.url).host;
    const lines = ON_A_SERVER.flatMap(linesOf).map((line) => line.replaceAll("127.0.0.1:8081", address));
    const printed = await typeAll(ann, lines, { PLANNER_DC_URL: server.url });
    expect(/"code":"LEAF-A08-1"/.test(printed)).toBe(true);
  } finally {
    await server.end();
  }
});

test.each(BESIDE_A_SERVER)("%s is typed beside the server that it starts", async (key, shown) => {
  using ann = person();

  expect(await typeBesideServer(ann, linesOf(key))).toContain(shown);
});
